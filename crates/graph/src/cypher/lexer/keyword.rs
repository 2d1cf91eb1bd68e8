//! Keywords. A word of any case is one; which of them may still be names is said here, too.

macro_rules! keywords {
    ($($keyword:ident $text:literal,)*) => {
        /// A keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Keyword {
            /// A word that is none.
            Other,
            $(
                #[doc = $text]
                $keyword,
            )*
        }

        /// All keywords, in the order of their letters.
        const ALL: &[(&str, Keyword)] = &[$(($text, Keyword::$keyword),)*];

        impl Keyword {
            /// How it is written.
            pub fn text(self) -> &'static str {
                match self {
                    Self::Other => "",
                    $(Self::$keyword => $text,)*
                }
            }
        }
    };
}

keywords! {
    All "ALL",
    AllShortestPaths "ALLSHORTESTPATHS",
    And "AND",
    Any "ANY",
    As "AS",
    Asc "ASC",
    Ascending "ASCENDING",
    By "BY",
    Call "CALL",
    Case "CASE",
    Collect "COLLECT",
    Constraint "CONSTRAINT",
    Contains "CONTAINS",
    Count "COUNT",
    Create "CREATE",
    Csv "CSV",
    Cypher "CYPHER",
    Delete "DELETE",
    Desc "DESC",
    Descending "DESCENDING",
    Detach "DETACH",
    Distinct "DISTINCT",
    Drop "DROP",
    Else "ELSE",
    End "END",
    Ends "ENDS",
    Exists "EXISTS",
    False "FALSE",
    FieldTerminator "FIELDTERMINATOR",
    For "FOR",
    Foreach "FOREACH",
    From "FROM",
    Fulltext "FULLTEXT",
    Headers "HEADERS",
    In "IN",
    Index "INDEX",
    Is "IS",
    Limit "LIMIT",
    Load "LOAD",
    Match "MATCH",
    Merge "MERGE",
    None "NONE",
    Not "NOT",
    Null "NULL",
    On "ON",
    Optional "OPTIONAL",
    Options "OPTIONS",
    Or "OR",
    Order "ORDER",
    Range "RANGE",
    Reduce "REDUCE",
    Remove "REMOVE",
    Return "RETURN",
    Set "SET",
    ShortestPath "SHORTESTPATH",
    Single "SINGLE",
    Skip "SKIP",
    Starts "STARTS",
    Then "THEN",
    True "TRUE",
    Union "UNION",
    Unwind "UNWIND",
    Vector "VECTOR",
    When "WHEN",
    Where "WHERE",
    With "WITH",
    Xor "XOR",
    Yield "YIELD",
}

/// Where the keywords of each letter begin, and where those of the last one end.
const STARTS: [u8; 27] = {
    let mut starts = [0; 27];
    let mut letter = 0;
    while letter < 27 {
        let mut at = 0;
        while at < ALL.len() && ((ALL[at].0.as_bytes()[0] - b'A') as usize) < letter {
            at += 1;
        }
        // There are fewer than 256.
        starts[letter] = at as u8;
        letter += 1;
    }
    starts
};

impl Keyword {
    /// The keyword that a word is, or `Other`.
    pub fn of(word: &str) -> Self {
        let Some(first) = word.bytes().next().map(|byte| byte.to_ascii_uppercase()) else {
            return Self::Other;
        };
        let letter = usize::from(first.wrapping_sub(b'A'));
        let (Some(from), Some(to)) = (STARTS.get(letter), STARTS.get(letter + 1)) else {
            return Self::Other;
        };
        let here = ALL.get(usize::from(*from)..usize::from(*to)).unwrap_or_default();
        let is = |text: &str| text.len() == word.len() && text.eq_ignore_ascii_case(word);
        here.iter().find(|(text, _)| is(text)).map_or(Self::Other, |(_, keyword)| *keyword)
    }

    /// Whether a variable of this name must stand in backticks: what follows an expression could
    /// be either.
    pub fn is_reserved(self) -> bool {
        matches!(
            self,
            Self::And
                | Self::As
                | Self::Asc
                | Self::Ascending
                | Self::By
                | Self::Call
                | Self::Case
                | Self::Contains
                | Self::Create
                | Self::Delete
                | Self::Desc
                | Self::Descending
                | Self::Detach
                | Self::Distinct
                | Self::Else
                | Self::End
                | Self::Ends
                | Self::False
                | Self::Foreach
                | Self::In
                | Self::Is
                | Self::Limit
                | Self::Load
                | Self::Match
                | Self::Merge
                | Self::Not
                | Self::Null
                | Self::On
                | Self::Optional
                | Self::Or
                | Self::Order
                | Self::Remove
                | Self::Return
                | Self::Set
                | Self::Skip
                | Self::Starts
                | Self::Then
                | Self::True
                | Self::Union
                | Self::Unwind
                | Self::When
                | Self::Where
                | Self::With
                | Self::Xor
                | Self::Yield
        )
    }

    /// Whether a clause begins with it.
    pub fn begins_clause(self) -> bool {
        matches!(
            self,
            Self::Call
                | Self::Create
                | Self::Delete
                | Self::Detach
                | Self::Drop
                | Self::Foreach
                | Self::Load
                | Self::Match
                | Self::Merge
                | Self::Optional
                | Self::Remove
                | Self::Return
                | Self::Set
                | Self::Union
                | Self::Unwind
                | Self::With
        )
    }
}
