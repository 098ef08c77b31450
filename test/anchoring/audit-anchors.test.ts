import { expect, test } from '@jest/globals';
import { createLedger, type Ledger } from '../../src/cardano/ledger/ledger.ts';
import { sequenceBatch } from '../../src/events/sequencer.ts';
import { runCommand } from '../../src/operations/commands/commands.ts';
import { verifyAuditLogByLedger } from '../../src/access/audit.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { UnitOfWork } from '../../src/platform/database/unit-of-work.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { runAnchorCheck, waitUntilAllConfirmed } from './anchor-proof.ts';

interface Verified {
  readonly data: {
    readonly intact: boolean;
    readonly entries: number;
    readonly anchored: { readonly seq: string; readonly proof: string } | null;
  };
}

const unused: UnitOfWork = () => Promise.reject(new Error('verifying changes nothing'));

/** Pauses and resumes an area: two entries of the audit log, which are chained when this returns. */
async function leaveEntries({ api, sql }: TestStack): Promise<void> {
  expect(await api.put('/pauses/investment', { reason: 'a test' })).toMatchObject({ status: 200 });
  expect(await api.del('/pauses/investment')).toMatchObject({ status: 204 });
  await waitUntilAllChained(sql);
}

async function waitUntilAllChained(sql: TestStack['sql']): Promise<void> {
  const unchained = async () => (await sql.run`select 1 from audit_log where seq is null`).length;
  await until(async () => (await unchained()) === 0, { what: 'the entries to be chained' });
}

test('the end of the audit log is anchored after an hour, and nothing anchored can be changed unnoticed', async () => {
  await using stack = await testStack();
  const { sql } = stack;
  const db = openDatabase(stack.databaseUrl, () => undefined, 2);
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() };
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 10_000 });
  const ops = () => runCommand({ db, ledger, unitOfWork: unused }, ['audit', 'verify']);
  const verified = async () => (await stack.api.get<Verified>('/audit-log/verification')).body.data;

  await leaveEntries(stack);
  await leaveEntries(stack);
  expect(await ops()).toMatchObject({ ok: true, output: expect.stringContaining('(anchors of the log: 0)') });
  await sql.run`update audit_log set chained_at = now() - interval '1 hour' where seq = 1`;
  const seqs = async () => await sql.run<{ seq: string }>`select seq from audit_anchors`;
  await until(async () => (await seqs()).length > 0, { what: 'the sweep to anchor the log', deadlineMs: 60_000 });
  await waitUntilAllConfirmed(stack);
  await leaveEntries(stack);
  const { anchored, entries } = await verified();
  expect({ anchored, entries }).toMatchObject({ anchored: { seq: '5' }, entries: 7 });
  const factId = anchored?.proof.split('/').at(-2) ?? '';
  expect(await runAnchorCheck(stack, factId)).toMatch(/^on the ledger.*"kind":"audit_log","seq":"5"/);
  expect(await ops()).toMatchObject({ ok: true, output: expect.stringContaining('(anchors of the log: 1)') });
  expect(await seqs()).toEqual([{ seq: '5' }]);

  const without: Pick<Ledger, 'metadataOf' | 'transactionUtxos'> = {
    ...ledger,
    metadataOf: () => (async function* () {})(),
  };
  expect(await verifyAuditLogByLedger({ db, ledger: without })).toEqual({ kind: 'anchor_missing', seq: '5' });
  const { txHash } = await stack.ledger.faucet({ address: await someAddress(stack), lovelace: '5000000' });
  await until(async () => (await ledger.transactionUtxos(txHash)) !== null, { what: 'the gift' });
  const withOther = {
    ...ledger,
    async *metadataOf(label: number) {
      yield { txHash, metadata: { v: 1, root: 'ab'.repeat(32), count: 1 } };
      yield* ledger.metadataOf(label);
    },
  };
  expect(await verifyAuditLogByLedger({ db, ledger: withOther })).toMatchObject({ kind: 'compared', anchors: 1 });

  // Whoever can write to every table makes everything fit: the chain, the anchored entry, the fact and its leaf.
  await sql.run`update audit_log set actor_id = 'nobody' where seq = 2`;
  await sql.run`update audit_log set seq = null, previous_hash = null, hash = null`;
  await sequenceBatch(db);
  // The api may be at it.
  await waitUntilAllChained(sql);
  const forged = `update audit_anchors set hash = (select hash from audit_log where audit_log.seq = audit_anchors.seq)`;
  await sql.query(forged);
  await sql.run`update anchor_facts set fact = regexp_replace(fact, '"hash":"[0-9a-f]+"', '"hash":"' || a.hash || '"')
     from audit_anchors a where a.fact_id = anchor_facts.id`;
  expect(await verified()).toMatchObject({ intact: true });
  const changed = {
    ok: false,
    output: expect.stringMatching(/^Transaction [0-9a-f]{64} anchors facts that are missing from the database/),
  };
  expect(await ops()).toMatchObject(changed);

  // Or they cut the end off, and remove what tells of it.
  await sql.run`delete from audit_log where seq > 1`;
  await sql.run`delete from audit_anchors`;
  await sql.run`delete from anchor_facts where id = ${factId}`;
  expect(await verified()).toMatchObject({ intact: true, entries: 1 });
  expect(await ops()).toMatchObject(changed);
});

async function someAddress({ root }: TestStack): Promise<string> {
  const { body } = await root.post<{ address: string }>('/dev/wallets');
  return body.address;
}
