// How to ask the server. What it shows is described by `schema.ts`, which is made from the server's own types: `npm run types`.

import { t } from './messages.svelte';
import type {
  AnalysisLine, AnalysisQuestion, CameIn, ExplorerLine, Game, Imagination, Import, KeptId, KeptImport, KeptPerson, KeptReview, Mind, OpeningLine, Opinions, Pass, Person, PersonBook,
  ProfilePart, Puzzle,
  Repertoire, ReviewLine, ReviewRequest, Setup, Start, Summary, Tabiya, Web,
} from './schema';

export type {
  AnalysisWord, Clock, CloneReport, ExplorerMove, ExplorerPeople, ExplorerWord, Game, Imagination, Import, Insight, Judgement, KeptReview, Line, Mind, MindOpinion, Opening, OpeningLine, Opinions, Pace, Pass, People, Person, PersonBook, PersonChoice, Pitfall, Ply, ProfilePart, Puzzle, Reason, Repertoire, ReviewGame, ReviewLine,
  ReviewMove, ReviewPosition, Score, Setup, Side, Start, Summary, Tabiya, TimeControl, Verdict, Web, WebEdge,
} from './schema';

/** The scheduler's state of something that is learned; dates are strings. */
export type MemoryState = Record<string, unknown> & { due: string };

export class ApiError extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

async function answer(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const error = body?.error ?? { code: 'http', message: t('The server answered {status}.', { status: response.status }) };
  throw new ApiError(error.code, error.message);
}

async function ask(path: string, options?: RequestInit): Promise<Response> {
  return answer(await fetch(`/api${path}`, options));
}

function post(path: string, body: unknown, signal?: AbortSignal, method = 'POST'): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return ask(path, { method, headers, body: JSON.stringify(body), signal });
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
  imports: () => json<Import[]>(ask('/imports')),
  import: (pgn: string, query: { player: string; title: string; rating: number }) =>
    json<KeptImport>(ask(`/imports?${new URLSearchParams({ ...query, rating: `${query.rating}` })}`, { method: 'POST', body: pgn, headers: { 'content-type': 'application/x-chess-pgn' } })),
  importOwn: (rating: number, title: string) =>
    json<KeptImport>(ask(`/imports/own?${new URLSearchParams({ rating: `${rating}`, title })}`, { method: 'POST' })),
  removeImport: (id: string) => ask(`/imports/${id}`, { method: 'DELETE' }),
  people: () => json<Person[]>(ask('/people')),
  keepPerson: (pgn: string, player: string) =>
    json<KeptPerson>(ask(`/people?${new URLSearchParams({ player })}`, { method: 'POST', body: pgn, headers: { 'content-type': 'application/x-chess-pgn' } })),
  personBook: (id: string) => json<PersonBook>(ask(`/people/${id}/book`)),
  removePerson: (id: string) => ask(`/people/${id}`, { method: 'DELETE' }),
  web: (mind: string, start: Start, signal?: AbortSignal) => json<Web>(post('/insights/web', { mind, ...start }, signal)),
  passes: (mind: string, start: Start, signal?: AbortSignal) => json<Pass[]>(post('/insights/passes', { mind, ...start }, signal)),
  imagine: (mind: string, start: Start, steps: number, signal?: AbortSignal) =>
    json<Imagination>(post('/insights/imagination', { mind, ...start, steps }, signal)),
  mistakes: () => json<{ card: Puzzle; memory: MemoryState | null }[]>(ask('/mistakes')),
  memories: () => json<Record<string, MemoryState>>(ask('/memories')),
  remember: (key: string, state: object) => post('/memories', { key, state }),
  profile: () => json<ProfilePart[]>(ask('/profile')),
  archiveAddress: '/api/archive',
  takeOver: async (text: string) =>
    json<CameIn>(ask('/archive', { method: 'POST', body: text, headers: { 'content-type': 'application/json' } })),
  repertoires: () => json<Repertoire[]>(ask('/repertoires')),
  addRepertoire: (content: Omit<Repertoire, 'id'>) => json<Repertoire>(post('/repertoires', content)),
  changeRepertoire: ({ id, ...content }: Repertoire) => post(`/repertoires/${id}`, content, undefined, 'PUT'),
  removeRepertoire: (id: string) => ask(`/repertoires/${id}`, { method: 'DELETE' }),
  reviews: () => json<KeptReview[]>(ask('/reviews')),
  keepReview: (request: ReviewRequest) => json<KeptId>(post('/reviews', request)),
  removeReview: (id: string) => ask(`/reviews/${id}`, { method: 'DELETE' }),
  review: (id: string, heard: (line: ReviewLine) => void, signal: AbortSignal) =>
    lines(ask(`/reviews/${id}`, { signal }), heard),
  /** A review that nobody keeps. */
  judge: (request: ReviewRequest, heard: (line: ReviewLine) => void, signal: AbortSignal) =>
    lines(post('/review', request, signal), heard),
  explore: (question: Start & { rating: number; engine?: boolean }, heard: (line: ExplorerLine) => void, signal: AbortSignal) =>
    lines(post('/explorer', question, signal), heard),
  analyse: (question: AnalysisQuestion, heard: (word: AnalysisLine) => void, signal: AbortSignal) =>
    lines(post('/analysis', question, signal), heard),
};

/** Calls `heard` with every line of an answer as it comes. */
async function lines<T>(answered: Promise<Response>, heard: (line: T) => void): Promise<void> {
  const reader = (await answered).body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const whole = (rest + value).split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) heard(JSON.parse(line));
  }
}
