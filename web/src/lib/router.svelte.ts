// Which page is shown: what follows the # in the address.

import type { Start } from './api';

/** A position as the pages name it in their addresses. */
export function placeOf(start: Start): URLSearchParams {
  const query = new URLSearchParams();
  if (start.fen) query.set('fen', start.fen);
  if (start.moves?.length) query.set('moves', start.moves.join(','));
  return query;
}

export function startFrom(query: URLSearchParams): Start | undefined {
  const moves = query.get('moves')?.split(',').filter(Boolean) ?? [];
  const fen = query.get('fen');
  return fen || moves.length ? { moves, ...(fen && { fen }) } : undefined;
}

export interface Route {
  page: string;
  id: string;
  query: URLSearchParams;
}

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [page = '', id = ''] = path.split('/');
  return { page: page || 'play', id, query: new URLSearchParams(query) };
}

export const router: { route: Route } = $state({ route: read() });

window.addEventListener('hashchange', () => {
  router.route = read();
});

/** Lets the address follow what is looked at, so that it can be kept and sent; nothing is loaded anew. */
export function follow(path: string): void {
  history.replaceState(null, '', `#${path}`);
}

export function go(path: string): void {
  location.hash = path;
}
