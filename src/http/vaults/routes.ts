import { z } from 'zod';
import { printDuration } from '../../domain/units/duration.ts';
import { isoText } from '../../domain/units/instant.ts';
import { vaultStatuses, vaultTypes } from '../../domain/vault/vault.ts';
import { type Encrypted } from '../../store/encryption.ts';
import { entitlementsOf, findPlan } from '../../store/settlements.ts';
import { listVaults } from '../../store/vault-listing.ts';
import { transactionSummaries } from '../../store/vault-transactions.ts';
import { created, ok } from '../server/answer.ts';
import { type ApiContext, route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { AddressFilter, DurationPrinted, ResourceId, Timestamp, CaseInsensitive } from '../server/fields.ts';
import { deferError } from '../../services/defer-error.ts';
import { requirePlatform } from '../../services/actor.ts';
import { cancelVault } from '../../services/vaults/cancel-vault.ts';
import { createVault, type CreateVaultPrefetch } from '../../services/vaults/create-vault.ts';
import { platformSignedText } from '../server/descriptions.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { presentSettlement, SettlementPlan } from '../settlements/response.ts';
import { PlatformTransaction, presentTransactionSummary, TransactionSummary } from '../transactions/response.ts';
import { presentVault } from './response.ts';
import {
  readerScope,
  readableStatuses,
  requireReadableVault,
  vaultAttributes,
} from '../../services/vaults/vault-access.ts';
import { type VaultView, viewVault, viewVaults } from '../../services/vaults/vault-view.ts';
import { CreateVault, exampleVault } from './request.ts';
import { VaultResource } from './resource.ts';
import { reportAllProblems } from './report-all-problems.ts';

const OneVault = z.strictObject({ vaultId: ResourceId });

const Span = z.object({
  duration: DurationPrinted,
  start_time: Timestamp.describe('It is open from then on'),
  end_time: Timestamp.describe('And no longer from then on'),
});

const VaultCreated = z.object({
  vault_id: z.uuid(),
  vault_name: z.string(),
  transaction: PlatformTransaction,
  investment_window: Span,
  asset_window: Span,
  contract_address: z.string().describe('As `contractAddress` of the vault'),
  token_address: z.string().describe('Policy id and name of the token, in hex'),
  status: z.literal('created'),
  created_at: Timestamp,
});

const validatedBySchema = route({
  method: 'post',
  path: '/vaults',
  operationId: 'createVault',
  summary: 'Create a vault and start its windows',
  description: [
    'The asset window and the investment window open now, unless the request names other starts. When both ' +
      'are over the vault settles: deposits become tokens and custody, or go back where it fails. Everything ' +
      "that is wrong with the request is told at once. Nothing of the admin's wallet moves: it takes " +
      'a key with permission vault:CREATE, and no session.',
    platformSignedText,
  ].join(' '),
  answers: 'The vault is recorded with its windows; the transaction that creates it is on its way',
  examples: { vault: exampleVault },
  permission: { resource: 'vault', action: 'CREATE' },
  body: CreateVault,
  invalidCode: 'INVALID_VAULT_PARAMS',
  responses: { 201: VaultCreated },
  errors: ['LEDGER_UNAVAILABLE', 'SERVICE_NOT_READY'],
  async handle({ body: request, caller, correlationId, idempotency }, context) {
    const facts = await deferError(gatherCreation(context));
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const { vault, windows, transaction } = await createVault(
          work,
          context,
          { request, caller, correlationId },
          facts,
        );
        return created({
          vault_id: vault.id,
          vault_name: vault.name,
          transaction: { tx_hash: transaction.hash, status: 'pending', block_height: null },
          investment_window: presentSpan(windows.investment),
          asset_window: presentSpan(windows.asset),
          contract_address: vault.contractAddress,
          token_address: vault.ftUnit,
          status: 'created',
          created_at: isoText(vault.createdAt),
        });
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

export const postVault = reportAllProblems(validatedBySchema);

async function gatherCreation({ db, networkState, ledger }: ApiContext): Promise<CreateVaultPrefetch> {
  const [chain, platform] = await Promise.all([networkState(), requirePlatform(db)]);
  return { chain, platform, utxos: await ledger.utxos(platform.operatorAddress) };
}

function presentSpan({
  startsAt,
  endsAt,
}: {
  startsAt: Parameters<typeof isoText>[0];
  endsAt: Parameters<typeof isoText>[0];
}) {
  return {
    duration: printDuration(Math.floor((endsAt - startsAt) / 1000)),
    start_time: isoText(startsAt),
    end_time: isoText(endsAt),
  };
}

export const getVaults = route({
  method: 'get',
  path: '/vaults',
  operationId: 'listVaults',
  summary: 'List vaults',
  description:
    'Those that the caller may read. A PRIVATE vault is shown to its admin, to wallets on its lists, to its ' +
    'depositors and to keys with permission wallet:UPDATE.',
  answers: 'A page of vaults',
  permission: { resource: 'vault', action: 'READ', facts: 'per row' },
  query: z.strictObject({
    ...pageQuery(['createdAt', 'updatedAt', 'name', 'status']),
    status: CaseInsensitive(vaultStatuses).optional(),
    type: CaseInsensitive(vaultTypes).optional(),
    createdBy: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ vaults: z.array(VaultResource) })) },
  errors: [],
  async handle({ query, caller }, { db, readingTime }) {
    const now = await readingTime();
    const statuses = readableStatuses(caller).filter((status) => query.status === undefined || status === query.status);
    const filter = { statuses, type: query.type, createdBy: query.createdBy, listener: readerScope(caller) };
    const { vaults, total } = await listVaults(db, filter, pageOf(query, 'createdAt:desc'));
    const views = await viewVaults(db, vaults, now);
    return ok(envelopedPage({ vaults: views.map(presentVault) }, paginationOf(query, total), now));
  },
});

/** Of a vault whose settlement takes hundreds of transactions all of those, and what is new. */
const TRANSACTIONS_SHOWN = 1000;

const VaultDetail = VaultResource.extend({
  settlement: SettlementPlan.nullable().describe('Null until it is planned, and where the vault failed before'),
  transactions: z
    .array(TransactionSummary)
    .describe(
      `The transactions of the vault but anchors, oldest first; where there are more than ${TRANSACTIONS_SHOWN}, older ` +
        'ones that wallets sign are left out',
    ),
  adminEmail: z.string().nullable().describe('To the role ADMIN alone; null where none was given').optional(),
}).meta({ id: 'VaultDetail' });

export const getVault = route({
  method: 'get',
  path: '/vaults/:vaultId',
  operationId: 'readVault',
  summary: 'Read a vault: its terms, where it stands, what can be done, and what its settlement brings to whom',
  description:
    '`allowedActions` says of each action whether it is open now, else the code it would be refused with; ' +
    '`overdueSeconds` how late a change is that was due; `holds` what keeps it.',
  permission: { resource: 'vault', action: 'READ', facts: vaultAttributes },
  params: OneVault,
  responses: { 200: Enveloped(VaultDetail) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const { db, readingTime } = context;
    const vault = await requireReadableVault(context, caller, params.vaultId);
    const now = await readingTime();
    const [view, transactions] = await Promise.all([
      viewVault(db, vault, now),
      transactionSummaries(db, vault.id, TRANSACTIONS_SHOWN),
    ]);
    const detail = {
      ...presentVault(view),
      settlement: await settlementOf(context, view),
      transactions: transactions.map(presentTransactionSummary),
      ...(caller.roles.includes('ADMIN') && { adminEmail: emailOf(context, view) }),
    };
    return ok(enveloped(detail, now));
  },
});

async function settlementOf({ db }: ApiContext, { vault, settlementPlannedAt }: VaultView) {
  if (settlementPlannedAt === null) return null;
  const [plan, entitlements] = await Promise.all([findPlan(db, vault.id), entitlementsOf(db, vault.id)]);
  return plan && presentSettlement(plan, entitlements, settlementPlannedAt);
}

function emailOf({ encryption }: ApiContext, { vault: { id, adminEmail } }: VaultView): string | null {
  if (adminEmail === null) return null;
  return encryption.decrypt(adminEmail as Encrypted, { table: 'vaults', column: 'admin_email', id });
}

export const cancelVaultRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/cancel',
  operationId: 'cancelVault',
  summary: 'Cancel a vault before its settlement starts; everything goes back to its owners',
  description:
    'Needs permission vault:UPDATE, and the session of its admin or permission wallet:UPDATE. Once the settlement is planned ' +
    'nobody cancels.',
  answers: 'The vault as it is now; the cancellation is requested and carried out in the background',
  permission: { resource: 'vault', action: 'UPDATE' },
  params: OneVault,
  responses: { 200: Enveloped(VaultResource) },
  errors: ['VAULT_NOT_FOUND', 'VAULT_NOT_CANCELLABLE', 'VAULT_ALREADY_ENDED'],
  async handle({ params, caller, correlationId, idempotency }, context) {
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const view = await cancelVault(work, { vaultId: params.vaultId, caller, correlationId });
        return ok(enveloped(presentVault(view), work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});
