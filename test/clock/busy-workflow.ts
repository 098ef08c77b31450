import { proxyActivities, sleep } from '@temporalio/workflow';

/** Stays busy for a given time between a short timer and a long one. */
export async function busyBetweenTimers(_: { readonly clockOffsetMs: number }): Promise<void> {
  const { work } = proxyActivities<{ work(): Promise<void> }>({ startToCloseTimeout: '1 minute' });
  await sleep(1200);
  await work();
  await sleep('1 day');
}
