import { handOver } from '../../frame/later.ts';
import { ReputationScreen } from './list.ts';
import { Namespaces } from './namespaces.ts';
import { OrbReputation } from './orb.ts';

handOver('reputation', { ReputationScreen, OrbReputation, Namespaces });
