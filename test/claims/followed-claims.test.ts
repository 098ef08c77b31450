import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import type { EventMessage } from '../../src/events/publish.ts';
import { assetSale, liquidate } from '../../src/executions/effects.ts';
import { handOverEffects, payRemainderEffects } from '../../src/termination/on-ledger.ts';
import { endClaims } from '../../src/termination/pot.ts';
import type { ChainTransaction } from '../../src/transactions/queries/transactions.ts';
import type { Execution } from '../../src/executions/queries.ts';
import type { TransactionContext } from '../../src/platform/database/unit-of-work.ts';
import { eventClient } from '../events/event-client.ts';
import { eventStream } from '../events/stream-client.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { claimClient } from './claim-client.ts';
import { changeState, vaultWithPot } from './vault-with-pot.ts';

const ADA = 1_000_000n;
const HASH = 'cd'.repeat(32);

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** What a page shows of the claims on a vault. */
interface Claims {
  readonly potLovelace: string;
  readonly circulatingFtBaseUnits: string;
  readonly claimDeadline: string;
  readonly endedBecause: string | null;
}

async function readClaims(vaultId: string): Promise<Claims> {
  interface VaultRead {
    readonly data: { readonly termination: Claims & { readonly pot: Record<string, string> } };
  }
  const { body } = await service.api.get<VaultRead>(`/vaults/${vaultId}`);
  const { pot, claimDeadline, endedBecause } = body.data.termination;
  const { lovelace: potLovelace = '', circulatingFtBaseUnits = '' } = pot;
  return { potLovelace, circulatingFtBaseUnits, claimDeadline, endedBecause };
}

/** Follows a vault by a socket and by a stream; neither asks again. */
async function follow(vaultId: string) {
  const socket = eventClient(service.url, { apiKey: service.adminKey });
  expect(await socket.connected()).toBeNull();
  expect(await socket.subscribe({ vaultId })).toHaveProperty('status', 'success');
  const path = `/api/v1/events?vaultId=${vaultId}`;
  const stream = await eventStream(`${service.url}${path}`, { 'x-api-key': service.adminKey });
  const changes = (events: readonly EventMessage[]) =>
    events.filter(({ type }) => type === 'CLAIMS_CHANGED' || type === 'TERMINATION_TAKEN_BACK');
  let heard = 0;
  return {
    /** The next change of the claims, which both have heard. */
    async next() {
      const [bySocket, byStream] = await until(
        () => {
          const both = [changes(socket.received.map(({ event }) => event))[heard], changes(stream.events)[heard]];
          return both.every((event) => event !== undefined) && both;
        },
        { what: `change ${heard + 1} of the claims` },
      );
      heard += 1;
      expect(byStream).toEqual(bySocket);
      return bySocket;
    },
    [Symbol.dispose]: () => {
      socket[Symbol.dispose]();
      stream[Symbol.dispose]();
    },
  };
}

const ids = createIds({ clock: wallClock, random: randomBytes });

const run = (change: (context: TransactionContext) => Promise<unknown> | undefined) =>
  service.db.transaction().execute(async (tx) => {
    await change({ tx, now: wallClock.now(), ids });
  });

const transactionOf = (vaultId: string, state: string, outputs: readonly (readonly [string, bigint])[]) =>
  ({
    ...{ id: ids.next(), hash: HASH, vaultId, state },
    outputs: outputs.map(([address, amount], index) => ({
      ...{ index, address, lovelace: lovelace(amount), assets: new Map<string, bigint>() },
    })),
  }) as unknown as ChainTransaction;

test('who follows a vault without a poll sees the deadline and the share of its claims as a read gives them, over a sale and its rollback', async () => {
  const { vaultId, potAddress } = await vaultWithPot(service, [{ address: newWallet().address, tokens: 10n }], {
    outputs: [10n * ADA],
  });
  await service.sql.run`update terminations set claim_deadline = now() + interval '1 h' where vault_id = ${vaultId}`;
  const before = await readClaims(vaultId);
  using page = await follow(vaultId);
  const execution = { vaultId, effect: { type: 'ASSET_SALE', assetIds: [] } } as unknown as Execution;
  const sale = (state: string) => transactionOf(vaultId, state, [[potAddress, 5n * ADA]]);

  await run((context) => assetSale.final?.(context, execution, sale('confirmed')));
  const sold = await page.next();
  expect(sold).toMatchObject({ type: 'CLAIMS_CHANGED', vaultId, actor: 'platform', transactionHash: HASH });
  expect(sold?.data).toEqual(await readClaims(vaultId));
  expect(sold?.data).toMatchObject({ potLovelace: `${15n * ADA}`, circulatingFtBaseUnits: '10', endedBecause: null });
  const days = (Date.parse(String(sold?.data['claimDeadline'])) - Date.parse(before.claimDeadline)) / 86_400_000;
  expect(days).toBeGreaterThan(13);

  await run((context) => assetSale.undo(context, execution, sale('final')));
  const undone = await page.next();
  expect(undone?.data).toEqual(await readClaims(vaultId));
  expect(undone?.data).toMatchObject({ potLovelace: `${10n * ADA}` });
});

test('who follows a vault sees that a lost claim lets the others claim for longer, and that what a hand-over brings can be claimed', async () => {
  const [holder, heir] = [newWallet(), newWallet()];
  const { vaultId, potAddress } = await vaultWithPot(service, [{ address: holder.address, tokens: 10n }], {
    ...{ outputs: [10n * ADA], unclaimedTo: heir.address },
  });
  const client = claimClient(service);
  const { transaction } = await client.paid(vaultId, holder, { amount: '0.000004' });
  await changeState(service, transaction.hash, { to: 'final' });
  const rows = await service.sql.run<{ custody: string }>`update vaults set claims_open = false
      where id = ${vaultId} returning contract_address as custody`;
  await service.sql.run`update terminations
      set claim_deadline = now(), ended_because = 'claim_deadline', claims_ended_at = now()
      where vault_id = ${vaultId}`;
  expect(await readClaims(vaultId)).toMatchObject({ endedBecause: 'claim_deadline' });
  using page = await follow(vaultId);

  await changeState(service, transaction.hash, { to: 'submitted', direction: 'rollback', block: null });
  await changeState(service, transaction.hash, { to: 'expired', reason: 'a test' });
  const reopened = await page.next();
  expect(reopened?.data).toEqual(await readClaims(vaultId));
  expect(reopened?.data).toMatchObject({ endedBecause: null, potLovelace: `${10n * ADA}` });
  expect(Date.parse(String(reopened?.data['claimDeadline']))).toBeGreaterThan(Date.now());

  const custody = rows[0]?.custody ?? '';
  const outputs = [heir.address, custody, potAddress].map((address) => [address, ADA] as const);
  await run((context) => handOverEffects.final?.(context, transactionOf(vaultId, 'confirmed', outputs)));
  const handed = await page.next();
  expect(handed?.data).toEqual(await readClaims(vaultId));
  expect(handed?.data).toMatchObject({ potLovelace: `${11n * ADA}` });

  const payment = transactionOf(vaultId, 'confirmed', [[heir.address, 11n * ADA]]);
  await run((context) => payRemainderEffects.rolledBack(context, payment));
  expect((await page.next())?.data).toEqual(await readClaims(vaultId));
});

test('who follows a vault sees that its claims are over, and that an end which a rollback has undone for good is taken back', async () => {
  const { vaultId } = await vaultWithPot(service, [{ address: newWallet().address, tokens: 10n }], { outputs: [] });
  await service.sql.run`update terminations set claim_deadline = now() where vault_id = ${vaultId}`;
  using page = await follow(vaultId);
  await run((context) => endClaims(context, { id: vaultId }));
  const over = await page.next();
  expect(over?.data).toEqual(await readClaims(vaultId));
  expect(over?.data).toMatchObject({ endedBecause: 'claim_deadline' });

  const execution = { id: ids.next(), vaultId } as unknown as Execution;
  await run((context) => liquidate.abandon?.(context, execution, transactionOf(vaultId, 'expired', [])));
  expect(await page.next()).toMatchObject({ type: 'TERMINATION_TAKEN_BACK', data: {} });
  const { body } = await service.api.get(`/vaults/${vaultId}`);
  expect(body).toMatchObject({ data: { termination: { reason: null, pot: null, steps: [] } } });
});
