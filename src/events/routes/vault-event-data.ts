import { z } from 'zod';
import { AmountText } from '../../platform/http/fields.ts';
import { TransactionKindEnum, TransactionStateEnum } from '../../transactions/routes/enums.ts';
import {
  HoldReasonEnum,
  TerminationReasonEnum,
  VaultStatusEnum,
  VaultTypeName,
  WindowStatusEnum,
} from '../../vaults/routes/enums.ts';

const none = z.looseObject({});
const windowKind = z.enum(['asset', 'investment']).describe('Which window');
const lovelace = AmountText.describe('Lovelace');
const reason = z.looseObject({ reason: HoldReasonEnum });
const transaction = z.looseObject({ kind: TransactionKindEnum });
const transactionStatus = transaction.extend({
  from: TransactionStateEnum,
  to: TransactionStateEnum,
  blockHeight: z.int().nullable().describe('The block that it is in; null while it is in none'),
  reason: z.string().nullable().describe('Why it expired, failed or was rolled back; null otherwise'),
});

/** What events of a vault, its windows, its settlement and its transactions say. */
export const vaultEventData = {
  VAULT_CREATED: z.looseObject({
    name: z.string().describe('Its name'),
    type: VaultTypeName,
    contractAddress: z.string().describe('Address of its custody'),
  }),
  VAULT_CREATION_ROLLED_BACK: none,
  VAULT_STATUS_CHANGED: z.looseObject({
    from: VaultStatusEnum,
    to: VaultStatusEnum,
    reason: TerminationReasonEnum.nullable().describe('Why it ended; null unless it did'),
  }),
  VAULT_FAILED: z.looseObject({ reason: TerminationReasonEnum }),
  WINDOW_STATUS_CHANGED: z.looseObject({ window: windowKind, from: WindowStatusEnum, to: WindowStatusEnum }),
  VAULT_HELD: reason,
  VAULT_RELEASED: reason,
  VAULT_CANCEL_REQUESTED: none,
  VAULT_ALLOW_LIST_CHANGED: z.looseObject({
    type: z.string().describe('Which list'),
    operation: z.string().describe('What was done to it'),
    count: z.int().describe('Entries after the change'),
  }),
  VAULT_SETTINGS_CHANGED: z.looseObject({
    investorListEnabled: z.boolean().optional(),
    valuationType: z.string().optional(),
    customPrices: z.int().describe('How many prices were given').optional(),
    fdp: z.string().describe('Percentage').optional(),
  }),
  VAULT_DELETED: z.looseObject({ status: VaultStatusEnum }),
  VALUATION_CHANGED: z.looseObject({
    total: AmountText.describe('Value of all assets, in lovelace'),
    nftValue: AmountText.describe('Value of the NFTs, in lovelace'),
    cntValue: AmountText.describe('Value of the other assets, in lovelace'),
  }),
  TRANSACTION_SIGNED: transaction,
  TRANSACTION_WITHDRAWN: transaction,
  TRANSACTION_STATUS_CHANGED: transactionStatus,
  TRANSACTION_ROLLED_BACK: transactionStatus,
  TRANSACTION_REFUSED: transaction.extend({
    reason: z.string().nullable().describe('Why the ledger refuses it; null when it accepts it after all'),
  }),
  SETTLEMENT_PLANNED: z.looseObject({
    value: AmountText.describe('Value of the assets, in lovelace'),
    invested: AmountText.describe('Lovelace invested'),
    fdv: AmountText.describe('Fully diluted valuation, in lovelace'),
  }),
  SETTLEMENT_REVISED: z.looseObject({
    reclaimedInvestments: z.array(z.string()).describe('Investments that their owners took back'),
    invested: AmountText.describe('Lovelace invested without them'),
    lpLovelace: AmountText.describe('Lovelace of the liquidity share'),
    contributorsLovelace: AmountText.describe('Lovelace of all contributors'),
    contributors: z.array(z.looseObject({ assetId: z.uuid().describe('The asset'), lovelace })),
  }),
};
