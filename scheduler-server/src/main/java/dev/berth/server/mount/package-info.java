/**
 * The machine's own paths in jobs: whether a submitter may have one, and how the engine gets exactly the file that was
 * looked at. The only place that takes another user's identity. What a container is else made of is not decided here.
 */
@NullMarked
package dev.berth.server.mount;

import org.jspecify.annotations.NullMarked;
