package dev.berth.server.track.condition;

import dev.berth.server.store.track.ToldValues.Value;
import dev.berth.server.track.condition.Condition.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads conditions: comparisons such as {@code acc>0.9} or {@code opt='adam'} and bare names, joined by {@code and}, which
 * binds closer, and {@code or}, in parentheses where wanted. What has spaces or signs in it stands in quotes of either kind; a quote in it is doubled.
 * For one thread.
 */
public final class ConditionParser {
    /** The longest condition, in characters. */
    public static final int MAX_LENGTH = 2_000;

    /** The most comparisons. */
    private static final int MAX_COMPARISONS = 50;

    /** The most pairs of parentheses, which bounds how deep they are nested. */
    private static final int MAX_PARENTHESES = 50;

    private static final String SIGNS = "<>=!";
    private static final String WORD_ENDS = SIGNS + "()'\"";

    private static final Map<String, Operator> OPERATORS = Map.of(
            "=", Operator.EQUAL,
            "==", Operator.EQUAL,
            "!=", Operator.UNEQUAL,
            "<>", Operator.UNEQUAL,
            "<", Operator.LESS,
            "<=", Operator.AT_MOST,
            ">", Operator.GREATER,
            ">=", Operator.AT_LEAST);

    private final List<Token> tokens;
    private int at;
    private int comparisons;
    private int parentheses;

    private ConditionParser(List<Token> tokens) {
        this.tokens = tokens;
    }

    private enum Kind {
        WORD,
        QUOTED,
        SIGN,
        OPEN,
        CLOSE,
        END
    }

    private record Token(Kind kind, String text) {
        boolean is(String word) {
            return kind == Kind.WORD && text.toLowerCase(Locale.ROOT).equals(word);
        }

        boolean isText() {
            return kind == Kind.WORD || kind == Kind.QUOTED;
        }

        /** As a sentence names it. */
        String named() {
            return kind == Kind.END ? "the end" : "'" + text + "'";
        }
    }

    /** Says what is wrong with a text that is no condition. */
    public static final class NoCondition extends Exception {
        private static final long serialVersionUID = 1L;

        /** The sentence, which follows the text. */
        NoCondition(String sentence) {
            super(sentence);
        }
    }

    /** The condition that a text is. */
    public static Condition parse(String text) throws NoCondition {
        if (text.length() > MAX_LENGTH) {
            throw new NoCondition("must have at most " + MAX_LENGTH + " characters");
        }
        ConditionParser parser = new ConditionParser(tokens(text));
        Condition condition = parser.any();
        if (parser.next().kind() != Kind.END) {
            throw new NoCondition(
                    "must have 'and' or 'or' before " + parser.next().named() + example());
        }
        return condition;
    }

    private static String example() {
        return ", as in acc>0.9 and lr=0.01";
    }

    private static List<Token> tokens(String text) throws NoCondition {
        List<Token> tokens = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            char first = text.charAt(from);
            int end = from + 1;
            if (Character.isWhitespace(first)) {
                from = end;
                continue;
            }
            if (first == '(' || first == ')') {
                tokens.add(new Token(first == '(' ? Kind.OPEN : Kind.CLOSE, text.substring(from, end)));
            } else if (first == '\'' || first == '"') {
                end = behindQuote(text, from);
                String doubled = String.valueOf(first).repeat(2);
                tokens.add(new Token(
                        Kind.QUOTED, text.substring(from + 1, end - 1).replace(doubled, String.valueOf(first))));
            } else {
                boolean isSign = SIGNS.indexOf(first) >= 0;
                while (end < text.length()
                        && isSign == isSign(text.charAt(end))
                        && isInWord(isSign, text.charAt(end))) {
                    end++;
                }
                tokens.add(new Token(isSign ? Kind.SIGN : Kind.WORD, text.substring(from, end)));
            }
            from = end;
        }
        tokens.add(new Token(Kind.END, ""));
        return tokens;
    }

    /** The place behind the quote that closes the one at a place; a doubled one stands for itself. */
    private static int behindQuote(String text, int from) throws NoCondition {
        char quote = text.charAt(from);
        int at = text.indexOf(quote, from + 1);
        while (at >= 0 && at + 1 < text.length() && text.charAt(at + 1) == quote) {
            at = text.indexOf(quote, at + 2);
        }
        if (at < 0) {
            throw new NoCondition("has an opening quote without a closing one");
        }
        return at + 1;
    }

    private static boolean isSign(char letter) {
        return SIGNS.indexOf(letter) >= 0;
    }

    private static boolean isInWord(boolean isSign, char letter) {
        return isSign || (!Character.isWhitespace(letter) && WORD_ENDS.indexOf(letter) < 0);
    }

    private Token next() {
        return tokens.get(at);
    }

    private Token take() {
        Token token = tokens.get(at);
        at = Math.min(at + 1, tokens.size() - 1);
        return token;
    }

    private Condition any() throws NoCondition {
        List<Condition> parts = new ArrayList<>(List.of(all()));
        while (next().is("or")) {
            take();
            parts.add(all());
        }
        return parts.size() == 1 ? parts.getFirst() : new Condition.Any(List.copyOf(parts));
    }

    private Condition all() throws NoCondition {
        List<Condition> parts = new ArrayList<>(List.of(one()));
        while (next().is("and")) {
            take();
            parts.add(one());
        }
        return parts.size() == 1 ? parts.getFirst() : new Condition.All(List.copyOf(parts));
    }

    private Condition one() throws NoCondition {
        Token first = take();
        if (first.kind() == Kind.OPEN) {
            return inParentheses();
        }
        if (!first.isText() || first.text().isEmpty() || first.is("and") || first.is("or")) {
            throw new NoCondition("must have a name in the place of " + first.named() + example());
        }
        comparisons++;
        if (comparisons > MAX_COMPARISONS) {
            throw new NoCondition("must have at most " + MAX_COMPARISONS + " comparisons");
        }
        ToldName name = ToldName.of(first.text());
        return next().kind() == Kind.SIGN ? comparison(name) : new Condition.IsTold(name);
    }

    private Condition inParentheses() throws NoCondition {
        parentheses++;
        if (parentheses > MAX_PARENTHESES) {
            throw new NoCondition("must have at most " + MAX_PARENTHESES + " parentheses");
        }
        Condition inner = any();
        if (take().kind() != Kind.CLOSE) {
            throw new NoCondition("has an opening parenthesis without a closing one");
        }
        return inner;
    }

    private Condition comparison(ToldName name) throws NoCondition {
        Token sign = take();
        Operator operator = OPERATORS.get(sign.text());
        if (operator == null) {
            throw new NoCondition("has " + sign.named() + ", which must be one of =, !=, <, <=, >, >=");
        }
        Token value = take();
        if (!value.isText()) {
            throw new NoCondition("must have a value in the place of " + value.named() + example());
        }
        Value wanted = Value.of(value.text());
        boolean isOrder = operator != Operator.EQUAL && operator != Operator.UNEQUAL;
        if (isOrder && (wanted.number() == null || wanted.number().isNaN())) {
            throw new NoCondition("compares with " + value.named() + ", which must be a number behind " + sign.named());
        }
        return new Condition.Comparison(name, operator, wanted);
    }
}
