import type { Measured } from './measure-stack.ts';

/** In so many rounds processes reach the size that they need. */
const WARM_UP_ROUNDS = 3;
/** Percent of the most that a process needed in these rounds: more is growth. */
const MOST_PERCENT = 150;
/** A workflow begins again when Temporal suggests it, at some 4,000 events. */
const MOST_EVENTS = 5000;
/** What is due by a clock that has just moved by days is done within so many seconds of waiting, and blocks are followed. */
const MOST_LAG_SECONDS = 5;

/** What has grown too much over the rounds of a soak; empty when nothing has. */
export function growthIn(rounds: readonly Measured[]): string[] {
  const [warmUp, later] = [rounds.slice(0, WARM_UP_ROUNDS), rounds.slice(WARM_UP_ROUNDS)];
  const sizes = (['apiMb', 'workerMb'] as const).flatMap((size) => {
    const most = (MOST_PERCENT / 100) * Math.max(...warmUp.map((round) => round[size]));
    return later.filter((round) => round[size] > most).map((round) => `${size} is ${round[size]}, above ${most}`);
  });
  const histories = rounds.filter(({ longestHistory }) => longestHistory > MOST_EVENTS);
  return [...sizes, ...histories.map(({ longestHistory }) => `a history has ${longestHistory} events`)];
}

/** Whether blocks are followed and everything that is due is done. */
export function isUpToDate({ followerLagSeconds, timerLagSeconds }: Measured): boolean {
  return timerLagSeconds <= MOST_LAG_SECONDS && followerLagSeconds <= MOST_LAG_SECONDS && followerLagSeconds >= 0;
}
