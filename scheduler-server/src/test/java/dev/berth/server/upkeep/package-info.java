/** Background work whose time the test makes pass. */
@NullMarked
package dev.berth.server.upkeep;

import org.jspecify.annotations.NullMarked;
