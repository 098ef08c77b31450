import { type Request, Router } from 'express';
import type { Block } from '../blocks.ts';
import { requireFound, pageOf, pageOfNumbers } from '../http-response.ts';
import type { Ledger } from '../ledger.ts';
import { blockAt, presentBlock } from '../presentation.ts';

/** GET /blocks, their transactions, previous and next blocks. */
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
