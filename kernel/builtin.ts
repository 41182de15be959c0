import apiKeys from '../plugins/api-keys/index.ts';
import consolePlugin from '../plugins/console/index.ts';
import docs from '../plugins/docs/index.ts';
import ingestion from '../plugins/ingestion/index.ts';
import ledger from '../plugins/ledger/index.ts';
import marketplace from '../plugins/marketplace/index.ts';
import mcp from '../plugins/mcp/index.ts';
import observability from '../plugins/observability/index.ts';
import pages from '../plugins/pages/index.ts';
import policy from '../plugins/policy/index.ts';
import receipts from '../plugins/receipts/index.ts';
import schedules from '../plugins/schedules/index.ts';
import subscriptions from '../plugins/subscriptions/index.ts';
import echoLocal from '../providers/echo/local.ts';
import emailMailgun from '../providers/email/mailgun.ts';
import emailOutbox from '../providers/email/outbox.ts';
import emailPostmark from '../providers/email/postmark.ts';
import emailResend from '../providers/email/resend.ts';
import emailSendgrid from '../providers/email/sendgrid.ts';
import emailSes from '../providers/email/ses.ts';
import emailSmtp from '../providers/email/smtp.ts';
import httpClient from '../providers/http/client.ts';
import mcpHttp from '../providers/mcp/http.ts';
import mcpStdio from '../providers/mcp/stdio.ts';
import { contracts } from './kit/builtin.ts';
import type { Builtin } from './boot/loader.ts';

/** What ships: a test compares it with the folders. */
export const builtin: Builtin = Object.freeze({
  plugins: [
    apiKeys,
    consolePlugin,
    docs,
    ingestion,
    ledger,
    marketplace,
    mcp,
    observability,
    pages,
    policy,
    receipts,
    schedules,
    subscriptions,
  ],
  adapters: [
    echoLocal,
    emailMailgun,
    emailOutbox,
    emailPostmark,
    emailResend,
    emailSendgrid,
    emailSes,
    emailSmtp,
    httpClient,
    mcpHttp,
    mcpStdio,
  ],
  contracts,
});
