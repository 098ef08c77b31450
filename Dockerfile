# One image for the api and the worker: Node runs the sources as they are, there is no build.
FROM node:24-bookworm-slim

RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
COPY scripts/node scripts/node
# No package runs a program of its own: none that the service needs has to. The Node of `npm start` is left out: the image has its own.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force && rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY src src
COPY workflows workflows
COPY activities activities
COPY worker worker
COPY docs/migrations docs/migrations

ENV NODE_ENV=production
USER node
# The worker overrides it with worker/main.ts.
CMD ["node", "src/main.ts"]
