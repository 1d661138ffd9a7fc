// How to ask the server. What it shows is described by `schema.ts`, which is made from the server's own types: `npm run types`.

import type {
  Game, Mind, OpeningLine, Opinions, ReviewLine, ReviewRequest, Setup, Start, Summary, Tabiya,
} from './schema';

export type {
  Clock, Game, Judgement, Line, Mind, MindOpinion, Opening, OpeningLine, Opinions, Pace, People, Ply, Reason, ReviewGame, ReviewLine,
  ReviewMove, ReviewPosition, Score, Setup, Side, Start, Summary, Tabiya, TimeControl, Verdict,
} from './schema';

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
  request: ReviewRequest,
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
