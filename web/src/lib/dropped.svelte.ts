// A file that was dropped on the page, until the page for it takes it up.

export const dropped: { file: File | null } = $state({ file: null });

/** Names of players in a collection of games, the most frequent first. */
export function namesIn(pgn: string): { name: string; games: number }[] {
  const counts = new Map<string, number>();
  for (const [, name] of pgn.matchAll(/^\[(?:White|Black) "(.*)"\]\s*$/gm)) {
    if (name && name !== '?') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, games]) => ({ name, games })).sort((a, b) => b.games - a.games).slice(0, 50);
}
