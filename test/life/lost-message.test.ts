import { expect, test } from '@jest/globals';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { person } from './people.ts';
import { createVault } from './vaults.ts';

/** Hides new messages from whoever wrote them for a moment: long enough to be killed in between. */
const hide = `
  create function hide() returns trigger language plpgsql as
    'begin new.created_at := clock_timestamp() + interval ''2 seconds''; return new; end';
  create trigger hide before insert on workflow_notices for each row execute function hide()`;

test('a vault whose api was killed between its commit and its message to Temporal lives all the same', async () => {
  await using stack = await testStack();
  await stack.sql.query(hide);
  const vaultId = await createVault(stack, person(121).address);
  await stack.kill('api');
  const unsent = await stack.sql.query('select 1 from workflow_notices where sent_at is null');
  expect(unsent.rowCount).toBe(1);
  await stack.sql.query('drop trigger hide on workflow_notices');

  await until(
    async () => {
      const { rows } = await stack.sql.query<{ status: string }>('select status from vaults where id = $1', [vaultId]);
      return rows[0]?.status === 'ACTIVE';
    },
    { what: 'the sweep to start the vault', deadlineMs: 30_000 },
  );
}, 60_000);
