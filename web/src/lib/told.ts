// Words that come from the server and are said in one's own language: what opponents are like, and parts of a profile. Nothing imports
// them; the check of messages reads them here.

import { msg } from './messages.svelte';

export const TOLD = [
  msg('Plays what people of the chosen rating play, and thinks as long as they do.'),
  msg('The engine: an evaluation made by hand and a deep search, at full strength.'),
  msg('A network that learned from analysed games which of two positions is better.'),
  msg('A transformer that reads its own conclusions again before it answers.'),
  msg('Sees a position as a web of attacks, defences and lines between pieces.'),
  msg('Weighs two positions against each other, and was taught nothing else.'),
  msg('Imagines the moves to come and corrects what it imagined.'),
  msg('A network without a description.'),
  msg('opening'),
  msg('middlegame'),
  msg('endgame'),
  msg('white'),
  msg('black'),
  msg('under 20 seconds'),
  msg('20 to 60 seconds'),
  msg('over a minute'),
  msg('Other'),
];
