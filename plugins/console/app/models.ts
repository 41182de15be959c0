import { Budgets } from './screens/models/budgets.ts';
import { Models } from './screens/models/list.ts';
import { Playground } from './screens/models/playground.ts';
import { UsageScreen } from './screens/models/usage.ts';
import { Receipts } from './screens/receipts/list.ts';
import { ReceiptScreen } from './screens/receipts/one.ts';
import { later } from './shared/taken.ts';

// The second script: the screens of models and of receipts.
Object.assign(later, { Budgets, Models, Playground, Receipt: ReceiptScreen, Receipts, Usage: UsageScreen });
