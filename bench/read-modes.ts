import { setTimeout } from 'node:timers/promises';
import { type Reader, walletReaders } from './readers.ts';
import type { BenchStack } from './stack.ts';

const WALLETS = 200;
const TIMES = 5;
/** Shorter than any read takes when so many are under way. */
const CHANGE_EVERY_MS = 2;

/** Who reads, and whether what they read has changed since the last time. */
export interface ReadMode {
  readonly name: string;
  readonly readers: readonly Reader[];
  /** Whether reads with an entity tag are measured, too. */
  readonly isTagged: boolean;
  /** How often each of them reads in a turn; null for as often as the time of the turn allows. */
  readonly times: number | null;
  /** Called before a turn; what it returns ends with the turn. */
  readonly begin: () => Promise<AsyncDisposable | null>;
}

/** The ways in which reads are measured. `vaultIds` are the vaults that the reads are about. */
export async function readModes(
  stack: BenchStack,
  vaultIds: readonly string[],
  connections: number,
): Promise<ReadMode[]> {
  const wallets = await walletReaders(stack, WALLETS);
  return [
    {
      name: 'Kept: one key, nothing changes',
      readers: [{ 'X-API-Key': stack.adminKey }],
      isTagged: true,
      times: null,
      begin: () => Promise.resolve(null),
    },
    {
      name: `After a change: a wallet for each connection, the vaults change every ${CHANGE_EVERY_MS} ms`,
      readers: wallets.slice(0, connections),
      isTagged: false,
      times: null,
      begin: () => Promise.resolve(changeAgain(stack, vaultIds)),
    },
    {
      name: `${WALLETS} wallets in turn, each ${TIMES} times; the vaults change before a turn`,
      readers: wallets,
      isTagged: false,
      times: TIMES,
      async begin() {
        await change(stack, vaultIds);
        return null;
      },
    },
  ];
}

/** Records a change of the vaults, as the triggers of their tables do: it ends what is kept of them. */
async function change({ sql }: BenchStack, vaultIds: readonly string[]): Promise<void> {
  await sql.query('insert into changes (subject) select unnest($1::text[])', [vaultIds]);
}

/** Changes the vaults again and again, in this process and in Postgres, until it is disposed of. */
function changeAgain(stack: BenchStack, vaultIds: readonly string[]): AsyncDisposable {
  const ended = new AbortController();
  const changing = (async () => {
    while (!ended.signal.aborted) {
      await change(stack, vaultIds);
      await setTimeout(CHANGE_EVERY_MS);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await changing;
    },
  };
}
