/** Classes that break the rules of the server on purpose, so that each rule is seen to bite. */
@NullMarked
package dev.berth.violations;

import org.jspecify.annotations.NullMarked;
