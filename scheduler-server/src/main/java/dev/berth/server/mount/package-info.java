/**
 * The machine's own paths in jobs: whether a submitter may have one, and how the engine gets exactly the file that was
 * looked at. Whose rights a look is made with is {@code linux.UserThreads}'. What a container is else made of is not decided here.
 */
@NullMarked
package dev.berth.server.mount;

import org.jspecify.annotations.NullMarked;
