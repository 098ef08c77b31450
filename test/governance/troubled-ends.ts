import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { advance, readVault } from '../vault-lifecycle/vault-requests.ts';

/** Its vault ends while a proposal cannot be read; it is fixed then, because the clock does not move while its workflow asks for it. */
export async function endWhileDamaged({ sql }: TestStack, id: string, end: () => Promise<void>): Promise<void> {
  const rows = await sql.run<{ json: string }>`select thresholds::text as json from proposals where id = ${id}`;
  const write = (json = '') => sql.query('update proposals set thresholds = $2 where id = $1', [id, json]);
  await write('{}');
  const ended = end();
  const isFailed = async () => {
    const found = await sql.query<{ reason: string }>('select failure_reason as reason from proposals where id = $1', [
      id,
    ]);
    return found.rows[0]?.reason === 'vault_ending';
  };
  await until(isFailed, { what: 'the proposal to fail with its vault', deadlineMs: 60_000 });
  await write(rows[0]?.json);
  await ended;
}

/** The clock moves until the step that cannot be paid for has failed so often that the vault says so. */
export async function untilHeld(stack: TestStack, vaultId: string): Promise<void> {
  const isHeld = async () => {
    await advance(stack, 60);
    return (await readVault(stack, vaultId)).holds.some(({ reason }) => reason === 'repeated_failures');
  };
  await until(isHeld, { what: 'the vault to say that it waits', deadlineMs: 60_000 });
}
