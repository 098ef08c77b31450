/** How many there are of each name; names of which none is left are forgotten. */
export interface Counts {
  readonly of: (name: string) => number;
  /** Counts one more; returns how to leave, once. */
  readonly enter: (name: string) => () => void;
}

export function createCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    enter(name) {
      counts.set(name, of(name) + 1);
      return () => {
        const left = of(name) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}
