/** Steps on files that survive a power cut, and whether there is room on the disk. Knows of no job and no database. */
@NullMarked
package dev.berth.server.disk;

import org.jspecify.annotations.NullMarked;
