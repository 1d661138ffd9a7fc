// Which page is shown: what follows the # in the address.

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

export function go(path: string): void {
  location.hash = path;
}
