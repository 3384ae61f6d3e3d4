package dev.berth.cli.snapshot;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A pattern of {@code gitignore(5)}, compiled. It works on bytes, as git does: a character beyond ASCII takes as many
 * {@code ?} as it has bytes in UTF-8. Its time is the pattern's length times the text's, whatever the stars.
 */
final class Glob {
    private static final byte SLASH = '/';

    /** A step through the text. */
    private sealed interface Token {
        /** A byte of a set; an empty set is never passed, which is what an unclosed class means. */
        record One(BitSet set) implements Token {}

        /** Any run of bytes, with or without slashes. */
        record Run(boolean slashes) implements Token {}

        /** Nothing, or any run that ends in a slash. */
        record Directories() implements Token {}
    }

    private final List<Token> tokens = new ArrayList<>();
    private final byte[] pattern;
    private final boolean isPath;
    private int at;

    private Glob(byte[] pattern, boolean isPath) {
        this.pattern = pattern;
        this.isPath = isPath;
    }

    /**
     * Compiles a pattern.
     *
     * @param isPath whether it is for a path, where wildcards keep off slashes, or for one name
     */
    static Glob of(byte[] pattern, boolean isPath) {
        Glob glob = new Glob(pattern, isPath);
        while (glob.at < pattern.length) {
            glob.tokens.add(glob.next());
        }
        return glob;
    }

    private Token next() {
        return switch (pattern[at]) {
            case '*' -> stars();
            case '?' -> {
                at++;
                yield new Token.One(withoutSlash(all()));
            }
            case '[' -> {
                GlobClass found = GlobClass.read(pattern, at);
                at = found.end();
                yield new Token.One(withoutSlash(found.set()));
            }
            case '\\' -> {
                at += 2;
                yield new Token.One(at > pattern.length ? new BitSet() : only(pattern[at - 1]));
            }
            default -> new Token.One(only(pattern[at++]));
        };
    }

    /** Two stars mean directories only where they are a whole part of a path; elsewhere they are as one. */
    private Token stars() {
        int from = at;
        while (at < pattern.length && pattern[at] == '*') {
            at++;
        }
        if (!isPath) {
            return new Token.Run(true);
        }
        boolean isPart = at - from > 1 && opensPart(from) && (at == pattern.length || isSlash(at));
        if (isPart && at < pattern.length && pattern[at] == SLASH) {
            at++;
            return new Token.Directories();
        }
        return new Token.Run(isPart);
    }

    /** For git, what stands before the first wildcard is apart, so that stars right behind it open a part as well. */
    private boolean opensPart(int from) {
        boolean isFirst = true;
        for (int before = 0; before < from; before++) {
            isFirst &= !isSpecial(pattern[before]);
        }
        return isFirst || pattern[from - 1] == SLASH;
    }

    private static boolean isSpecial(byte value) {
        return value == '*' || value == '?' || value == '[' || value == '\\';
    }

    private boolean isSlash(int index) {
        return pattern[index] == SLASH
                || (pattern[index] == '\\' && index + 1 < pattern.length && pattern[index + 1] == SLASH);
    }

    private BitSet withoutSlash(BitSet set) {
        if (isPath) {
            set.clear(SLASH);
        }
        return set;
    }

    private static BitSet all() {
        BitSet all = new BitSet(GlobClass.BYTES);
        all.set(0, GlobClass.BYTES);
        return all;
    }

    private static BitSet only(byte value) {
        BitSet only = new BitSet(GlobClass.BYTES);
        only.set(value & 0xff);
        return only;
    }

    /** Whether the pattern matches all of the text: follows all ways through the pattern at once. */
    boolean matches(byte[] text) {
        BitSet reached = new BitSet(tokens.size() + 1);
        reached.set(0);
        passEmpty(reached);
        // Of directories that have begun; they end at any slash, and never have to.
        BitSet inside = new BitSet(tokens.size() + 1);
        for (byte next : text) {
            BitSet after = new BitSet(tokens.size() + 1);
            for (int token = reached.nextSetBit(0);
                    token >= 0 && token < tokens.size();
                    token = reached.nextSetBit(token + 1)) {
                step(token, next, after, inside);
            }
            for (int token = inside.nextSetBit(0); token >= 0; token = inside.nextSetBit(token + 1)) {
                if (next == SLASH) {
                    after.set(token + 1);
                }
            }
            reached = after;
            passEmpty(reached);
            if (reached.isEmpty() && inside.isEmpty()) {
                return false;
            }
        }
        return reached.get(tokens.size());
    }

    private void step(int token, byte next, BitSet after, BitSet inside) {
        switch (tokens.get(token)) {
            case Token.One(BitSet set) -> {
                if (set.get(next & 0xff)) {
                    after.set(token + 1);
                }
            }
            case Token.Run(boolean slashes) -> {
                if (slashes || next != SLASH) {
                    after.set(token);
                }
            }
            case Token.Directories() -> inside.set(token);
        }
    }

    /** Runs and directories may also be nothing. */
    private void passEmpty(BitSet reached) {
        for (int token = 0; token < tokens.size(); token++) {
            if (reached.get(token) && !(tokens.get(token) instanceof Token.One)) {
                reached.set(token + 1);
            }
        }
    }
}
