import type { Socket } from 'socket.io';
import { ServiceError } from '../../platform/errors/errors.ts';
import type { AccessAudit } from '../../platform/http/access-audit.ts';
import { permissionRefusal } from '../../platform/http/audit-refusals.ts';
import { errorBody } from '../../platform/http/error-schemas.ts';
import type { AdmittedSocket } from './admit.ts';
import { createAnswers } from './answer-requests.ts';
import { type Flow, watchFlow } from './flow.ts';
import type { LiveContext } from './live-context.ts';
import { createPositions, type Positions } from './positions.ts';
import { Subscribe, Unsubscribe } from './socket-requests.ts';
import { createSubscriptions, followedBy, type Sink } from './subscriptions.ts';
import { topicOf } from './topics.ts';

/** What serves sockets. A stream is a request, whose refusal the server notes. */
export interface SocketContext extends LiveContext {
  readonly accessAudit: AccessAudit;
}

/** A socket that was admitted. */
export interface EventSocket {
  /** Notes live events that were sent to it together with others; ends a socket that does not take them. */
  readonly noteSent: (events: number) => void;
}

/** Answers the requests of a socket, and sends it the events of its subscriptions. Throws what `Connections.open` throws. */
export async function serveSocket(
  context: SocketContext,
  socket: Socket,
  { credentials, ip, correlationId }: AdmittedSocket,
): Promise<EventSocket> {
  const { wallClock: clock, logger, connections, feed, accessAudit } = context;
  const gone = goneOf(socket);
  const flow = watchFlow(socket, gone);
  const bodyOf = (error: ServiceError) => errorBody(error, correlationId, clock.now());

  const end = (reason: ServiceError) => {
    socket.emit('closed', bodyOf(reason));
    socket.disconnect(true);
  };
  const onCallerChange = () => {
    subscriptions.recheck();
  };
  const { caller, visitor, remove } = await connections.open({ credentials, ip, end, onCallerChange });
  const positions = createPositions(socket, feed);
  const sink = sinkOf(socket, { flow, positions, bodyOf, end });
  const subscriptions = createSubscriptions(followedBy(visitor, context), caller, sink);
  whenAborted(gone, () => {
    positions.close();
    subscriptions.close();
    remove();
  });

  const noteSent = (messages: number) => {
    if (!flow.count(messages)) end(new ServiceError('CONSUMER_TOO_SLOW'));
  };
  const onReply = () => {
    noteSent(1);
  };
  const onRefusal = ({ code }: ServiceError, request: string | null, error: unknown) => {
    if (code === 'SYSTEM_ERROR') logger.error({ error, correlationId }, 'a request of a socket has failed');
    const refusal = permissionRefusal(code, caller(), request ?? 'unknown');
    if (refusal) accessAudit.note(refusal);
  };
  const answer = createAnswers(socket, { clock, bodyOf, onReply, onRefusal });
  answer('subscribe', Subscribe, ({ after, ...fields }) => subscriptions.subscribe(topicOf(fields, context), after));
  answer('unsubscribe', Unsubscribe, ({ subscription }) =>
    Promise.resolve({ subscription, ended: subscriptions.unsubscribe(subscription) }),
  );
  return { noteSent };
}

interface SinkParts {
  readonly flow: Flow;
  readonly positions: Positions;
  readonly bodyOf: (error: ServiceError) => { readonly error: object };
  readonly end: (reason: ServiceError) => void;
}

/** Where the events of the subscriptions of a socket go. */
function sinkOf(socket: Socket, { flow, positions, bodyOf, end }: SinkParts): Sink {
  return {
    async send(subscription, events) {
      socket.emit('events', { subscription, events });
      await flow.drained();
    },
    join(name) {
      void socket.join(name);
      positions.join(name);
    },
    leave(name) {
      void socket.leave(name);
      positions.leave(name);
    },
    refuse(subscription, reason) {
      if (reason.code === 'CONSUMER_TOO_SLOW') end(reason);
      else socket.emit('unsubscribed', { subscription, reason: bodyOf(reason).error });
    },
  };
}

/** Aborted when the socket leaves the namespace or its connection ends, which may be before it was admitted. */
function goneOf(socket: Socket): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    gone.abort();
  };
  socket.once('disconnect', abort);
  socket.conn.once('close', abort);
  if (socket.conn.readyState !== 'open') abort();
  return gone.signal;
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else
    signal.addEventListener('abort', () => {
      act();
    });
}
