/**
 * Sweep files in the language of ClusterWorks 2: documents merged with their defaults and imports, and expanded into runs,
 * with the order, names and directories that CW2 gives them. Values and pure functions; who reads files hands them in.
 */
@NullMarked
package dev.berth.core.sweep;

import org.jspecify.annotations.NullMarked;
