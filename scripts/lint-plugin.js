/** Rules of this project that oxlint has not. */

const rule = (message, create) => ({ meta: { type: 'problem', messages: { message } }, create });

export default {
  meta: { name: 'vault' },
  rules: {
    'no-current-time': rule('Take time from an injected Clock.', (context) => ({
      NewExpression(node) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) context.report({ node, messageId: 'message' });
      },
    })),
    'no-empty-catch': rule('Nothing is swallowed.', (context) => ({
      CatchClause(node) {
        if (node.body.body.length === 0) context.report({ node, messageId: 'message' });
      },
    })),
  },
};
