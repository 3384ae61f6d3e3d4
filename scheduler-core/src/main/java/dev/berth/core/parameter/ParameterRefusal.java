package dev.berth.core.parameter;

/** What somebody asked for with an option of a sweep, and the rule that it breaks. */
public final class ParameterRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String value;

    /**
     * The refusal of one value.
     *
     * @param field the option's in the API
     * @param value as it was given
     * @param rule which goes on from the value
     */
    ParameterRefusal(String field, String value, String rule) {
        super(rule);
        this.field = field;
        this.value = value;
    }

    public String field() {
        return field;
    }

    public String value() {
        return value;
    }

    public String rule() {
        return String.valueOf(getMessage());
    }
}
