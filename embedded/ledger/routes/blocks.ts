import { type Request, Router } from 'express';
import type { Block } from '../blocks.ts';
import { requireFound, pageOf, pageOfNumbers } from '../http-response.ts';
import type { ChainState } from '../chain-state.ts';
import type { Ledger } from '../ledger.ts';
import { blockAt, presentBlock } from '../presentation.ts';

/** GET /blocks, their transactions and addresses, previous and next blocks. */
export function blockRoutes({ chain }: Ledger): Router {
  const router = Router();
  const asked = (req: Request<{ block: string }>): Block =>
    requireFound(req.params.block === 'latest' ? chain.blocks.tip() : chain.blocks.find(req.params.block));

  router.get('/blocks/:block', (req, res) => {
    res.json(presentBlock(chain, asked(req)));
  });
  router.get('/blocks/:block/txs', (req, res) => {
    res.json(pageOf(req, asked(req).transactions));
  });
  router.get('/blocks/:block/addresses', (req, res) => {
    res.json(pageOf(req, addressesOf(chain, asked(req).transactions)));
  });
  router.get('/blocks/:block/next', (req, res) => {
    const following = pageOfNumbers(req, asked(req).height + 1, chain.blocks.tip().height);
    res.json(following.map((height) => presentBlock(chain, blockAt(chain, height))));
  });
  router.get('/blocks/:block/previous', (req, res) => {
    // Counted back from the block: page 1 holds its nearest ancestors, listed oldest first.
    const { height } = asked(req);
    const distances = pageOfNumbers(req, 1, height).reverse();
    res.json(distances.map((distance) => presentBlock(chain, blockAt(chain, height - distance))));
  });
  return router;
}

/** What a block's transactions spend from or pay to, by address, with the transactions. */
function addressesOf(chain: ChainState, hashes: readonly string[]) {
  const found = new Map<string, Set<string>>();
  for (const hash of hashes) {
    const view = chain.viewOf(hash);
    const spent = view.inputs.map((input) => chain.outputAt(input.hash, input.index));
    for (const { address } of [...spent, ...view.outputs])
      found.set(address, (found.get(address) ?? new Set()).add(hash));
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([address, of]) => ({ address, transactions: [...of].map((tx_hash) => ({ tx_hash })) }));
}
