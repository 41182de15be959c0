import alerts from './alerts/index.ts';
import apiKeys from './api-keys/index.ts';
import approvals from './approvals/index.ts';
import audit from './audit/index.ts';
import budgets from './budgets/index.ts';
import clients from './clients/index.ts';
import consolePlugin from './console/index.ts';
import demo from './demo/index.ts';
import docs from './docs/index.ts';
import ingestion from './ingestion/index.ts';
import kit from './kit/index.ts';
import ledger from './ledger/index.ts';
import marketplace from './marketplace/index.ts';
import mcp from './mcp/index.ts';
import models from './models/index.ts';
import observability from './observability/index.ts';
import openapi from './openapi/index.ts';
import operate from './operate/index.ts';
import pages from './pages/index.ts';
import policy from './policy/index.ts';
import postgres from './postgres/index.ts';
import receipts from './receipts/index.ts';
import release from './release/index.ts';
import runtime from './runtime/index.ts';
import schedules from './schedules/index.ts';
import storedProviders from './stored-providers/index.ts';
import subscriptions from './subscriptions/index.ts';
import telemetry from './telemetry/index.ts';
import chatDiscord from '../providers/chat/discord.ts';
import chatIncoming from '../providers/chat/incoming.ts';
import chatMatrix from '../providers/chat/matrix.ts';
import chatOutbox from '../providers/chat/outbox.ts';
import chatSlack from '../providers/chat/slack.ts';
import chatTeams from '../providers/chat/teams.ts';
import chatTelegram from '../providers/chat/telegram.ts';
import echoLocal from '../providers/echo/local.ts';
import emailMailgun from '../providers/email/mailgun.ts';
import emailOutbox from '../providers/email/outbox.ts';
import emailPostmark from '../providers/email/postmark.ts';
import emailResend from '../providers/email/resend.ts';
import emailSendgrid from '../providers/email/sendgrid.ts';
import emailSes from '../providers/email/ses.ts';
import emailSmtp from '../providers/email/smtp.ts';
import httpClient from '../providers/http/client.ts';
import llmAnthropic from '../providers/llm/anthropic.ts';
import llmCanned from '../providers/llm/canned.ts';
import llmOpenaiCompatible from '../providers/llm/openai-compatible.ts';
import mcpHttp from '../providers/mcp/http.ts';
import mcpStdio from '../providers/mcp/stdio.ts';
import pushNtfy from '../providers/push/ntfy.ts';
import pushOutbox from '../providers/push/outbox.ts';
import pushWebpush from '../providers/push/webpush.ts';
import smsKannel from '../providers/sms/kannel.ts';
import smsOutbox from '../providers/sms/outbox.ts';
import smsTwilio from '../providers/sms/twilio.ts';
import smsVonage from '../providers/sms/vonage.ts';
import { contracts } from './contracts.ts';
import { ProgressBar } from './terminal/contract.ts';
import * as surface from './kit/surface.ts';
import type { Builtin } from '../kernel/boot/loaded.ts';
import type { BarScreen } from '../kernel/index.ts';

/** What ships: a test compares it with the folders. */
export const builtin: Builtin = Object.freeze({
  plugins: [
    runtime,
    apiKeys,
    approvals,
    audit,
    budgets,
    clients,
    consolePlugin,
    demo,
    docs,
    ingestion,
    kit,
    ledger,
    marketplace,
    mcp,
    models,
    observability,
    openapi,
    operate,
    pages,
    policy,
    postgres,
    receipts,
    release,
    schedules,
    storedProviders,
    subscriptions,
    telemetry,
    alerts,
  ],
  adapters: [
    chatDiscord,
    chatIncoming,
    chatMatrix,
    chatOutbox,
    chatSlack,
    chatTeams,
    chatTelegram,
    echoLocal,
    emailMailgun,
    emailOutbox,
    emailPostmark,
    emailResend,
    emailSendgrid,
    emailSes,
    emailSmtp,
    httpClient,
    llmAnthropic,
    llmCanned,
    llmOpenaiCompatible,
    mcpHttp,
    mcpStdio,
    pushNtfy,
    pushOutbox,
    pushWebpush,
    smsKannel,
    smsOutbox,
    smsTwilio,
    smsVonage,
  ],
  surface,
  contracts,
  progress: (screen: BarScreen) => new ProgressBar(screen),
  stores: new URL('./stores.ts', import.meta.url).href,
});
