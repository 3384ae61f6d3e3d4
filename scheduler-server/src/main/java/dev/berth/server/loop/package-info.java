/**
 * The one thread that owns all scheduling state, and the way to it. It takes what comes, asks the core what follows,
 * commits that, and only then hands the effects on. It waits for nothing but messages.
 */
@NullMarked
package dev.berth.server.loop;

import org.jspecify.annotations.NullMarked;
