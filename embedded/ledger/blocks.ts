import { createHash } from 'node:crypto';

/** A block as the chain keeps it; `transactions` are hashes in block order. */
export interface Block {
  height: number;
  slot: number;
  hash: string;
  transactions: string[];
}

/** The parts of a block; `salt` gives an equal block after a rollback another hash. */
export interface BlockDraft {
  slot: number;
  salt: string;
  transactions: string[];
}

const RECORD = 36;

/** The chain's blocks. An empty block takes 36 bytes, so a timer may make them for weeks. */
export function createBlocks() {
  let records = Buffer.alloc(1024 * RECORD);
  let length = 0;
  const transactions = new Map<number, string[]>();

  function at(height: number): Block | undefined {
    if (!Number.isInteger(height) || height < 0 || height >= length) return undefined;
    const offset = height * RECORD;
    return {
      height,
      slot: records.readUInt32BE(offset),
      hash: records.toString('hex', offset + 4, offset + RECORD),
      transactions: transactions.get(height) ?? [],
    };
  }

  return {
    at,
    /** The newest block; throws before the first one. */
    tip(): Block {
      const block = at(length - 1);
      if (!block) throw new Error('the chain has no genesis block yet');
      return block;
    },
    /** The block with this hash or height. */
    find(hashOrHeight: string): Block | undefined {
      if (/^\d{1,9}$/.test(hashOrHeight)) return at(Number(hashOrHeight));
      const block = at(Number.parseInt(hashOrHeight.slice(-8), 16));
      return block?.hash === hashOrHeight.toLowerCase() ? block : undefined;
    },
    push(draft: BlockDraft): Block {
      if ((length + 1) * RECORD > records.length) records = Buffer.concat([records, Buffer.alloc(records.length)]);
      const offset = length * RECORD;
      records.writeUInt32BE(draft.slot, offset);
      hashOf(length, at(length - 1)?.hash ?? '', draft).copy(records, offset + 4);
      if (draft.transactions.length > 0) transactions.set(length, draft.transactions);
      length += 1;
      return {
        height: length - 1,
        slot: draft.slot,
        hash: records.toString('hex', offset + 4, offset + RECORD),
        transactions: draft.transactions,
      };
    },
    pop(): void {
      length -= 1;
      transactions.delete(length);
    },
  };
}

// The height is the tail of the hash: a lookup by hash needs no index that would grow with every empty block.
function hashOf(height: number, previous: string, { slot, salt, transactions }: BlockDraft): Buffer {
  const digest = createHash('sha256')
    .update([previous, height, slot, salt, ...transactions].join(' '))
    .digest();
  digest.writeUInt32BE(height, 28);
  return digest;
}
