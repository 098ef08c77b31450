import { z } from 'zod';
import { parseAssetName } from '../../../src/domain/asset/asset-name.ts';
import { fieldError } from '../../../src/domain/errors.ts';
import { ok } from '../../../src/http/server/answer.ts';
import { route } from '../../../src/http/server/context.ts';
import { PolicyId } from '../../../src/http/server/fields.ts';
import { FaultSettings } from '../../ledger/faults.ts';
import { type Development, developer } from '../development.ts';

const priceWords = 'Lovelace are a whole number';
const Price = z.strictObject({
  policyId: PolicyId,
  assetName: z.string().max(66).optional(),
  lovelace: z.union([z.int().min(0), z.string().regex(/^(0|[1-9]\d{0,17})$/, priceWords)], priceWords),
  decimals: z.int().min(0).max(9).optional(),
  asOf: z.iso.datetime().optional(),
});

const PriceSet = z.object({
  policyId: z.string(),
  assetNameHex: z.string().nullable(),
  lovelace: z.string(),
  decimals: z.int(),
});

export const setPrice = ({ switches }: Development) =>
  route({
    method: 'post',
    path: '/prices',
    operationId: 'devSetPrice',
    summary: 'Set the price of one whole token, or of a whole policy; with asOf the price stands still and grows old',
    description:
      'Lovelace for one whole token. Without `assetName` it is the price of every asset of the policy that has ' +
      'none of its own. `decimals` are those of the token.',
    answers: 'The price there is now',
    examples: {
      nft: { policyId: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456', lovelace: 250_000_000 },
    },
    permission: developer('UPDATE'),
    idempotent: false,
    body: Price,
    responses: { 200: PriceSet },
    errors: ['INVALID_ASSET_NAME', 'LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body: { policyId, assetName, lovelace: amount, decimals, asOf } }) {
      const assetNameHex = assetName === undefined ? undefined : parseAssetName(assetName);
      if (assetName !== undefined && assetNameHex === undefined) {
        throw fieldError('INVALID_ASSET_NAME', 'assetName', 'At most 32 bytes: text, or hex after 0x');
      }
      const lovelace = String(amount);
      const set = await switches.setPrice({
        policyId,
        lovelace,
        ...(assetNameHex !== undefined && { assetNameHex }),
        ...(decimals !== undefined && { decimals }),
        ...(asOf !== undefined && { asOf }),
      });
      return ok({ policyId, assetNameHex: assetNameHex ?? null, lovelace, decimals: set.decimals });
    },
  });

export const rollBackLedger = ({ switches }: Development) =>
  route({
    method: 'post',
    path: '/ledger/rollback',
    operationId: 'devRollBackLedger',
    summary: 'Take the last blocks back; their transactions vanish from the ledger',
    description:
      'As a fork of the chain does. What the service had seen in these blocks is undone, and sent again where it ' +
      'still can be.',
    answers: 'The block the ledger now ends with',
    examples: { two: { blocks: 2 } },
    permission: developer('UPDATE'),
    idempotent: false,
    body: z.strictObject({ blocks: z.int().min(1).max(2160) }),
    responses: { 200: z.object({ height: z.int(), slot: z.int(), hash: z.string() }) },
    errors: ['LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok(await switches.rollback(body.blocks));
    },
  });

export const setLedgerFaults = ({ switches }: Development) =>
  route({
    method: 'post',
    path: '/ledger/faults',
    operationId: 'devSetLedgerFaults',
    summary: 'Replace the faults of the ledger; an empty object ends them',
    description:
      'Numbers say how many of the next submissions are hit; `drop` accepts and forgets them, `all: down` refuses ' +
      'everything.',
    answers: 'The faults in force',
    examples: { busy: { submit429: 2 }, none: {} },
    permission: developer('UPDATE'),
    idempotent: false,
    body: FaultSettings,
    responses: { 200: FaultSettings },
    errors: ['LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok(await switches.setFaults(body));
    },
  });
