/** Classes that break the rules of the core on purpose, one rule each, so that the rules are seen to bite. */
@NullMarked
package dev.berth.violations;

import org.jspecify.annotations.NullMarked;
