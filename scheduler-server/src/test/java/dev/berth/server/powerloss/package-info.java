/**
 * Power cuts: what a program did to its files is recorded, the record is cut off anywhere, and what a disk could hold
 * then is opened again.
 */
@NullMarked
package dev.berth.server.powerloss;

import org.jspecify.annotations.NullMarked;
