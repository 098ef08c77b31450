import type { Request, RequestHandler } from 'express';
import type { Handler } from './request-locals.ts';

type Step = Handler | RequestHandler;

/** One step that runs several one after the other: to find each of them, express would take longer than most of them do. */
export function inTurn(...steps: readonly Step[]): Handler {
  return (request, response, next) => {
    let done = 0;
    const goOn = (error?: unknown): void => {
      const step = steps[done++];
      if (error !== undefined || step === undefined) {
        next(error);
        return;
      }
      // As express does with the first of them. Later ones may also begin when it no longer looks, as after a router without a match.
      try {
        const ended: unknown = (step as Handler)(request, response, goOn);
        if (ended instanceof Promise) ended.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    goOn();
  };
}

/** A step that is left out for requests that it does not concern. */
export function onlyFor(concerns: (request: Pick<Request, 'path' | 'headers'>) => boolean, step: Step): Handler {
  return (request, response, next) => {
    if (concerns(request)) return (step as Handler)(request, response, next);
    next();
    return undefined;
  };
}
