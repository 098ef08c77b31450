export type DepositKind = 'asset' | 'investment';
