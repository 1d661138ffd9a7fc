// The server's words: what it shows, and how to ask for it.

export type Side = 'white' | 'black';

export interface TimeControl {
  base_s: number;
  increment_s: number;
}

export interface Start {
  fen?: string;
  moves?: string[];
}

export type Pace = 'human' | 'at_once' | 'second';

export interface Setup {
  mind: string;
  rating: number;
  own_rating: number;
  color: Side;
  time: TimeControl | null;
  start?: Start;
  pace?: Pace;
  name?: string;
  title?: string;
}

export interface Opening {
  eco: string;
  name: string;
}

export interface OpeningLine extends Opening {
  moves: string[];
  san: string;
  fen: string;
}

export type Reason =
  | 'checkmate' | 'stalemate' | 'material' | 'repetition' | 'fifty_moves' | 'agreement' | 'resignation' | 'time';

export interface Verdict {
  winner: Side | null;
  reason: Reason;
}

export interface Ply {
  uci: string;
  san: string;
  spent_ms: number;
  left_ms: number | null;
}

export interface Clock extends TimeControl {
  white_ms: number;
  black_ms: number;
  running: Side | null;
}

export interface Game {
  id: string;
  created_s: number;
  setup: Setup;
  start_fen: string;
  fen: string;
  turn: Side;
  check: boolean;
  given: number;
  moves: Ply[];
  clock: Clock | null;
  verdict: Verdict | null;
  score: string;
  opening: Opening | null;
  draw_declined: boolean;
  draw_offered: boolean;
  can_take_back: boolean;
  remark: string | null;
}

export interface Summary {
  id: string;
  created_s: number;
  mind: string;
  rating: number;
  color: Side;
  time: TimeControl | null;
  title: string | null;
  plies: number;
  fen: string;
  verdict: Verdict | null;
  opening: Opening | null;
  remark: string | null;
}

export interface Mind {
  name: string;
  title: string;
  about: string;
  rated: boolean;
}

export type Score = { cp: number } | { mate: number } | { mated: Side };

export interface Line {
  score: Score | null;
  uci: string[];
  san: string[];
}

export interface MindOpinion extends Mind {
  policy: { uci: string; san: string; chance: number }[];
  chances: [number, number, number] | null;
  score: Score | null;
  think_s: number | null;
  lines: Line[];
  depth: number | null;
}

export interface Opinions {
  fen: string;
  turn: Side;
  minds: MindOpinion[];
}

export interface Tabiya {
  id: string;
  title: string;
  start: Start;
  fen: string;
  turn: Side;
}

export interface People {
  ratings: number[];
  moves: { uci: string; san: string; chances: number[] }[];
  think_s: (number | null)[];
}

export type Judgement = 'best' | 'good' | 'inaccuracy' | 'mistake' | 'blunder';

export interface ReviewGame {
  type: 'game';
  tags: [string, string][];
  start_fen: string;
  moves: { uci: string; san: string; fen: string; left_ms: number | null; spent_s: number | null }[];
  score: string;
  opening: Opening | null;
}

export interface ReviewPosition {
  type: 'position';
  ply: number;
  score: Score;
  white: number;
  best: string | null;
  line: string[];
}

export interface ReviewMove {
  type: 'move';
  ply: number;
  side: Side;
  judgement: Judgement;
  loss: number;
  /** Nothing where no network knows people. */
  people: People | null;
}

export type ReviewLine = ReviewGame | ReviewPosition | ReviewMove | { type: 'done' };

export class ApiError extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

async function answer(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const error = body?.error ?? { code: 'http', message: `The server answered ${response.status}.` };
  throw new ApiError(error.code, error.message);
}

async function ask(path: string, options?: RequestInit): Promise<Response> {
  return answer(await fetch(`/api${path}`, options));
}

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

const json = async <T>(response: Promise<Response>): Promise<T> => (await response).json();

export const api = {
  minds: () => json<Mind[]>(ask('/minds')),
  games: () => json<Summary[]>(ask('/games')),
  game: (id: string) => json<Game>(ask(`/games/${id}`)),
  begin: (setup: Setup) => json<Game>(post('/games', setup)),
  opinions: (start: Start, rating: number, signal?: AbortSignal) =>
    json<Opinions>(post('/opinions', { ...start, rating }, signal)),
  openings: (query: string) => json<OpeningLine[]>(ask(`/openings?q=${encodeURIComponent(query)}`)),
  tabiyas: () => json<Tabiya[]>(ask('/tabiyas')),
  saveTabiya: (title: string, start: Start) => json<Tabiya>(post('/tabiyas', { title, start })),
  removeTabiya: (id: string) => ask(`/tabiyas/${id}`, { method: 'DELETE' }),
  pgnAddress: (id: string) => `/api/games/${id}/pgn`,
  review,
};

/** Calls `heard` with every line of a review as it comes. */
async function review(
  request: { pgn?: string; game?: string; rating?: number },
  heard: (line: ReviewLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await post('/review', request, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) heard(JSON.parse(line));
  }
}
