import { seededRandom } from '../stack/lying-ledger.ts';
import { type Point, pointsOf } from './points.ts';
import { type Victim, victims, type Way, ways } from './stops.ts';
import { drawTraits, isSettled, type Traits } from './traits.ts';

/** What is stopped at a point, and how. */
export interface Stop {
  readonly point: Point;
  readonly victim: Victim;
  readonly way: Way;
}

interface Planned {
  readonly seed: number;
  readonly count: number;
  readonly lives: readonly Traits[];
  /** What may be stopped; everything unless given. */
  readonly stoppable?: readonly Victim[];
}

/** Further apart than the lives that are drawn until those of a seed are found. */
const SEED_DISTANCE = 1000;

/** The lives of a seed: the first random vault that is settled, and the first that is not. */
export function livesOf(seed: number): Traits[] {
  let place = seed * SEED_DISTANCE;
  const draw = () => drawTraits(seededRandom(place++));
  let [settled, unsettled] = [draw(), draw()];
  while (!isSettled(settled)) settled = draw();
  while (isSettled(unsettled)) unsettled = draw();
  return [settled, unsettled];
}

/** Points in random order, each with what is stopped there; those first at which other seeds stop the least. */
export function planStops(
  { seed, count, lives, stoppable = victims }: Planned,
  others: ReadonlyMap<string, number> = new Map(),
): Stop[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const shuffled = pointsOf(lives)
    .map((point) => ({ point, stops: others.get(nameOf(point)) ?? 0, at: random() }))
    .toSorted((a, b) => a.stops - b.stops || a.at - b.at);
  return shuffled.slice(0, count).map(({ point }) => ({ point, victim: pick(stoppable), way: pick(ways) }));
}

/** The stops of a seed in its lives, when the seeds before it, from 1 on, have as many: a few seeds reach every point. */
export function planOfSeed(seed: number, count: number): Stop[] {
  const stopped = new Map<string, number>();
  for (let before = 1; before < seed; before += 1)
    for (const { point } of planStops({ seed: before, count, lives: livesOf(before) }, stopped))
      stopped.set(nameOf(point), (stopped.get(nameOf(point)) ?? 0) + 1);
  return planStops({ seed, count, lives: livesOf(seed) }, stopped);
}

/** What tells a point from all others. */
export const nameOf = ({ change, moment }: Point) => `${change}, ${moment}`;
