import { z } from 'zod';
import { differenceCodes, differenceKinds, type DifferenceCode } from '../../rules/difference.ts';
import type { FoundDifference } from '../../queries/listed-differences.ts';
import { enumSchema } from '../../../platform/http/enums.ts';

export const codes = Object.keys(differenceCodes) as [DifferenceCode, ...DifferenceCode[]];

const DifferenceKindEnum = enumSchema('DifferenceKind', differenceKinds, {
  correctness: 'the books say what is not so',
  completeness: 'the books do not say what is so',
});

const DifferenceCodeEnum = enumSchema('DifferenceCode', codes, {
  OUTPUT_MISSING: 'an output that the books call unspent is not on the ledger',
  OUTPUT_NOT_SPENT: 'an output that the books call spent is unspent',
  OUTPUT_DIFFERS: 'an output holds another amount',
  OUTPUT_UNKNOWN: 'a recorded transaction made an output that the books do not have',
  OUTPUT_UNLISTED: 'an output of others is in no list although scans should have found it',
  TRANSACTION_NOT_ON_LEDGER: 'a transaction that the books have in a block is on no ledger',
  TRANSACTION_STATE_DIFFERS: 'a transaction is in a block, and the books say that it is not',
  TRANSACTION_BLOCK_DIFFERS: 'a transaction is in another block',
  TRANSACTION_UNKNOWN: 'a transaction that the books do not have spends what they call unspent',
  TRANSACTION_OVERDUE: 'a transaction still waits although its validity passed long ago',
  ROW_MISSING: 'a transaction on the ledger brought something, and there is no row of it',
  ASSET_QUANTITY_DIFFERS: 'the assets of a unit are not as many as the vault holds; `subject` is the unit',
  INVESTMENT_DIFFERS: 'the output of an investment is not as its row says',
  STAKE_DIFFERS: 'the output of a stake is not as its row says',
  CLAIM_DIFFERS: 'a claim is paid in one place only',
  FT_SUPPLY_DIFFERS: 'another number of vault tokens exists',
  FT_SHARES_DIFFER: 'the shares of the settlement are not the whole supply',
  FT_CIRCULATING_DIFFERS: 'holders have another number of vault tokens',
  ENTITLEMENT_DIFFERS: 'a deposit was paid other tokens than its entitlement says',
  POT_DIFFERS: 'the pot holds less than claims may ask for',
  ASSET_COUNT_DIFFERS: 'the number of assets of a vault is not that of its rows',
  VAULT_STATE_DIFFERS: 'the status of a vault does not follow from its transactions',
  LEASE_LEFT: 'an output is kept for a transaction that has ended',
  VAULT_NOT_COMPARED: 'the vault could not be compared; `ledger` says why',
});

export const DifferenceResource = z
  .object({
    vaultId: z.uuid(),
    kind: DifferenceKindEnum,
    code: DifferenceCodeEnum.describe('What differs'),
    subject: z.string().describe('An output as `<hash>#<index>`, a hash, a unit, or the id of a row'),
    books: z.string().describe('What the books say'),
    ledger: z.string().describe('What the ledger says, or what follows from other rows'),
  })
  .meta({ id: 'Difference' });

export function presentDifference(difference: FoundDifference): z.input<typeof DifferenceResource> {
  return { ...difference, kind: differenceCodes[difference.code] };
}
