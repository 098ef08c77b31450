import { type Request, Router } from 'express';
import type { Block } from '../blocks.ts';
import { found, paged, pagedNumbers } from '../http-answer.ts';
import type { Ledger } from '../ledger.ts';
import { blockAt, presentBlock } from '../presentation.ts';

/** /blocks and what hangs on one: its transactions, those before and those after it. */
export function blockRoutes({ chain }: Ledger): Router {
  const router = Router();
  const asked = (req: Request<{ block: string }>): Block =>
    found(req.params.block === 'latest' ? chain.blocks.tip() : chain.blocks.find(req.params.block));

  router.get('/blocks/:block', (req, res) => {
    res.json(presentBlock(chain, asked(req)));
  });
  router.get('/blocks/:block/txs', (req, res) => {
    res.json(paged(req, asked(req).transactions));
  });
  router.get('/blocks/:block/next', (req, res) => {
    const following = pagedNumbers(req, asked(req).height + 1, chain.blocks.tip().height);
    res.json(following.map((height) => presentBlock(chain, blockAt(chain, height))));
  });
  router.get('/blocks/:block/previous', (req, res) => {
    // Counted back from the block: page 1 holds its nearest ancestors, listed oldest first.
    const { height } = asked(req);
    const distances = pagedNumbers(req, 1, height).reverse();
    res.json(distances.map((distance) => presentBlock(chain, blockAt(chain, height - distance))));
  });
  return router;
}
