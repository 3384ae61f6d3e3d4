/** Conditions on what jobs told of themselves, as people write them: {@code acc>0.9 and lr=0.01}. */
@NullMarked
package dev.berth.server.track.condition;

import org.jspecify.annotations.NullMarked;
