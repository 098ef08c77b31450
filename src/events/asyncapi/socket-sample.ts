/** A client of socket.io in a browser, as `docs/events.md` shows it too. */
export const socketSample = `import { io } from 'socket.io-client';

// API is where this service is, such as http://127.0.0.1:3000
const socket = io(\`\${API}/events\`, {
  transports: ['websocket'],
  auth: { apiKey, token }, // token of a wallet session; leave it out for the key alone
});
const last = new Map(); // number of the last event of each subscription, from wherever you keep it

socket.on('connect', async () => {
  const { status, error } = await socket.emitWithAck('subscribe', { vaultId, after: last.get(\`vault:\${vaultId}\`) });
  if (status === 'error') refused(error); // as in every response
});
socket.on('events', ({ subscription, events }) => {
  for (const event of events) {
    show(event);
    last.set(subscription, event.seq);
  }
});
// Nothing of this subscription is missing up to \`after\`; it also moves on while the topic is quiet.
socket.on('position', ({ subscription, after }) => last.set(subscription, after));
// reason.code: the caller may no longer read the topic; after SERVICE_NOT_READY or SYSTEM_ERROR subscribe again
socket.on('unsubscribed', ({ subscription, reason }) => {});
socket.on('closed', ({ error }) => {}); // the last message before the service cuts the connection
`;
