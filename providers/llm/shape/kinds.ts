import { ProviderError } from '../../../kernel/adapter.ts';
import type { ChatInputs, CountInputs, EmbedInputs } from './inputs.ts';

/** What an Orb of the capability asks, by its inputs. */
export type Asked =
  | { readonly kind: 'chat'; readonly inputs: ChatInputs }
  | { readonly kind: 'count'; readonly inputs: CountInputs }
  | { readonly kind: 'embed'; readonly inputs: EmbedInputs };

/** Says what a call asks. The schema of its Orb has checked the inputs. */
export function askedOf(inputs: Readonly<Record<string, unknown>>): Asked {
  if ('messages' in inputs) return { kind: 'chat', inputs: inputs as ChatInputs };
  if ('prompt' in inputs) return { kind: 'count', inputs: inputs as CountInputs };
  return { kind: 'embed', inputs: inputs as EmbedInputs };
}

/** Makes the refusal of a provider that cannot count tokens: another one would count those of another model. */
export function uncounted(title: string): ProviderError {
  return new ProviderError('rejected', `${title} cannot count the tokens of a request`, { phase: 'uncounted' });
}
