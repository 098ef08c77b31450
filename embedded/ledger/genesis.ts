import {
  Address,
  BigNum,
  TransactionBody,
  TransactionInputs,
  TransactionOutput,
  TransactionOutputs,
  Value,
  FixedTransaction,
} from '@emurgo/cardano-serialization-lib-nodejs';

/** `count` outputs of `lovelace` each, given to `address` before the first block. */
export interface Funding {
  address: string;
  lovelace: bigint;
  count: number;
}

/** The transaction of block 0: no inputs, one output per funded UTxO. The rules do not check it. */
export function genesisTransaction(fundings: Funding[]): Uint8Array {
  const outputs = TransactionOutputs.new();
  for (const { address, lovelace, count } of fundings) {
    const value = Value.new(BigNum.from_str(String(lovelace)));
    for (let made = 0; made < count; made += 1) outputs.add(TransactionOutput.new(Address.from_bech32(address), value));
  }
  const body = TransactionBody.new_tx_body(TransactionInputs.new(), outputs, BigNum.zero());
  return FixedTransaction.new_from_body_bytes(body.to_bytes()).to_bytes();
}
