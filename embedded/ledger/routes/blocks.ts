import { type Request, Router } from 'express';
import type { Block } from '../blocks.ts';
import { found, paged } from '../http-answer.ts';
import type { Ledger } from '../ledger.ts';
import { presentBlock } from '../presentation.ts';

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
    const { height } = asked(req);
    const following = heights(height + 1, chain.blocks.tip().height);
    res.json(paged(req, following).map((at) => presentBlock(chain, found(chain.blocks.at(at)))));
  });
  router.get('/blocks/:block/previous', (req, res) => {
    // The first page holds the nearest blocks, listed oldest first.
    const nearestFirst = heights(0, asked(req).height - 1).reverse();
    const page = paged(req, nearestFirst).reverse();
    res.json(page.map((at) => presentBlock(chain, found(chain.blocks.at(at)))));
  });
  return router;
}

function heights(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
