import { setTimeout as pause } from 'node:timers/promises';
import type { OwnPostgres, OwnTemporal } from '../stack/own-servers.ts';
import type { TestStack } from '../stack/test-stack.ts';

export const victims = ['api', 'worker', 'temporal', 'postgres', 'ledger'] as const;
export type Victim = (typeof victims)[number];
/** Killed and started again, or stopped for some seconds as by SIGSTOP. */
export const ways = ['killed', 'stopped'] as const;
export type Way = (typeof ways)[number];

/** What a run may stop besides the processes of its stack. */
export interface Servers {
  readonly postgres: OwnPostgres;
  readonly temporal: OwnTemporal;
}

/** How long a killed ledger is away. Nothing of it is lost: to the service it is a backend of others. */
const LEDGER_AWAY_MS = 3000;

/**
 * Stops something and lets it continue; resolves when it runs again. `lose` ends the connection of a process that was killed. Throws for a
 * server that the stack shares with others.
 */
export async function stop(
  stack: TestStack,
  servers: Servers | null,
  { victim, way, stoppedMs }: { readonly victim: Victim; readonly way: Way; readonly stoppedMs: number },
  lose: () => Promise<void>,
): Promise<void> {
  if (victim === 'ledger') {
    const back = stack.liar.goAway(way === 'killed' ? 'refuses' : 'hangs');
    await pause(way === 'killed' ? LEDGER_AWAY_MS : stoppedMs);
    back();
  } else if (victim === 'api' || victim === 'worker') {
    if (way === 'stopped') return stack.suspend(victim, stoppedMs);
    await stack.kill(victim);
    await lose();
    await stack.restart(victim);
  } else {
    const server = servers?.[victim];
    if (!server) throw new Error(`${victim} is shared`);
    if (way === 'stopped') return server.suspend(stoppedMs);
    await server.kill();
    await server.start();
  }
}
