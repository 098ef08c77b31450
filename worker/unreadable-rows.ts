import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { type OnUnreadable, UnreadableRow } from '../src/platform/database/decode-rows.ts';

/** Reports each row for which an activity failed because it cannot be read: the activity is retried until somebody has fixed it. */
export function reportUnreadableRows({
  onUnreadable,
}: {
  readonly onUnreadable: OnUnreadable;
}): ActivityInterceptorsFactory {
  return () => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof UnreadableRow) onUnreadable(error);
          throw error;
        }
      },
    },
  });
}
