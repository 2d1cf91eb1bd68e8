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

/// The length of the longest keyword.
const LONGEST: usize = 16;

impl Keyword {
    /// The keyword that a word is, or `Other`.
    pub fn of(word: &str) -> Self {
        let mut upper = [0; LONGEST];
        let Some(upper) = upper.get_mut(..word.len()).filter(|_| word.len() > 1) else {
            return Self::Other;
        };
        upper.copy_from_slice(word.as_bytes());
        upper.make_ascii_uppercase();
        let found = ALL.binary_search_by(|(text, _)| text.as_bytes().cmp(upper));
        found.ok().and_then(|index| ALL.get(index)).map_or(Self::Other, |(_, keyword)| *keyword)
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
