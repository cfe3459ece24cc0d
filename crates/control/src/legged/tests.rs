//! Parts of walking against closed forms and independent sums.
