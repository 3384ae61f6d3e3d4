/**
 * The one thread that owns all scheduling state, and its inbox. It takes what comes, asks the core what follows, commits
 * that, and only then hands the effects on. No waiting for anything but the inbox happens here.
 */
@NullMarked
package dev.berth.server.loop;

import org.jspecify.annotations.NullMarked;
